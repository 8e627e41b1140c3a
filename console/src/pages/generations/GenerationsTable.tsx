import { Checkbox } from '@mantine/core';
import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { kinds } from '../../generations/kind-labels.ts';
import { MediaView } from '../../media/MediaView.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import { Credits } from '../../ui/Credits.tsx';
import { type Column, DataTable, NoWrap } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './generations.module.css';

type GenerationsTableProps = {
  rows: readonly GenerationRow[];
  stale: boolean;
  footer: ReactNode;
  /** Ids of the chosen generations. */
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
};

const columns: Column<GenerationRow>[] = [
  { title: 'Prompt', minWidth: '10.5rem', cell: (row) => <What row={row} /> },
  { title: 'Status', cell: ({ generation }) => <Status generation={generation} /> },
  { title: 'Kind', cell: ({ generation }) => kinds[generation.kind].name },
  {
    title: 'Model',
    cell: ({ generation }) => (
      <NoWrap>
        <code className={classes['model']}>{generation.model}</code>
      </NoWrap>
    ),
  },
  { title: 'Key', minWidth: '6rem', cell: ({ key }) => <span className={classes['key']}>{key.name}</span> },
  {
    title: 'Cost',
    align: 'right',
    cell: ({ generation }) => <Credits amount={generation.cost.credits} unit={false} />,
  },
  {
    title: 'Made',
    align: 'right',
    cell: ({ generation }) => (
      <NoWrap>
        <Time at={generation.created_at} relative />
      </NoWrap>
    ),
  },
];

/** Generations with a thumbnail of each. */
export function GenerationsTable({ rows, stale, footer, chosen, onChoose }: GenerationsTableProps) {
  const choice: Column<GenerationRow> = {
    title: 'Choose',
    controls: true,
    width: '2.2rem',
    head: (
      <Checkbox
        size="xs"
        className={classes['chooseAll']}
        aria-label="Choose all"
        label={<span aria-hidden="true">All</span>}
        checked={rows.length > 0 && rows.every(({ generation }) => chosen.has(generation.id))}
        onChange={({ currentTarget: { checked } }) =>
          onChoose(new Set(checked ? rows.map(({ generation }) => generation.id) : []))
        }
      />
    ),
    cell: ({ generation: { id }, prompt }) => (
      <Checkbox
        size="xs"
        aria-label={`Choose ${prompt ?? id}`}
        checked={chosen.has(id)}
        onChange={({ currentTarget: { checked } }) =>
          onChoose(new Set(checked ? [...chosen, id] : [...chosen].filter((one) => one !== id)))
        }
      />
    ),
  };
  return (
    <DataTable
      label="Generations"
      columns={[choice, ...columns]}
      rows={rows}
      rowKey={({ generation }) => generation.id}
      stale={stale}
      footer={footer}
    />
  );
}

function What({ row: { generation, prompt } }: { row: GenerationRow }) {
  const [first] = generation.outputs;
  const kind = kinds[generation.kind];
  return (
    <Link to="/generations/$id" params={{ id: generation.id }} className={classes['what']}>
      <span className={classes['thumb']}>
        {first === undefined ? (
          <Icon name={kind.suite === 'image' || kind.suite === 'edit' ? 'image' : 'video'} size={16} />
        ) : (
          <MediaView item={itemOfOutput(first)} small fill inert alt="" />
        )}
      </span>
      <span className={classes['prompt']} data-none={prompt === null}>
        {prompt ?? 'No prompt'}
      </span>
    </Link>
  );
}

function Status({ generation: { status, error } }: Pick<GenerationRow, 'generation'>) {
  return (
    <StatusBadge status={status} label={status === 'succeeded' && error !== null ? 'In part' : undefined} />
  );
}
