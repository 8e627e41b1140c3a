import { Button, Select, Text } from '@mantine/core';
import type { ManagedParameter } from '@renderkit/contract/studio/administration/models.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { sourceChoices, sourceLabel } from './model-texts.ts';
import classes from './models.module.css';

type ParametersTableProps = {
  parameters: readonly ManagedParameter[];
  /** Sets an input from a source; undefined: nothing can be changed. */
  onBind?: (target: string, source: string) => void;
  /** The target that is being set. */
  pending?: string | undefined;
};

/** What requests can set, where it goes, and how sure that is. A guess is not used before somebody confirms it. */
export function ParametersTable({ parameters, onBind, pending }: ParametersTableProps) {
  const used = parameters.flatMap(({ sources }) => sources);
  return (
    <DataTable
      label="Parameters"
      rows={parameters}
      rowKey={({ target }) => target}
      columns={[
        {
          title: 'What requests say',
          cell: (parameter) =>
            onBind === undefined ? (
              sourcesText(parameter)
            ) : (
              <Source parameter={parameter} used={used} pending={pending} onBind={onBind} />
            ),
        },
        ...columns,
      ]}
    />
  );
}

const columns: Column<ManagedParameter>[] = [
  {
    title: 'Goes to',
    cell: ({ target, node }) => (
      <div style={{ minWidth: '7rem' }}>
        <Text fz="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {target}
        </Text>
        {node !== null && (
          <Text fz="xs" c="dimmed">
            node {node}
          </Text>
        )}
      </div>
    ),
  },
  { title: 'How sure', cell: ({ sure }) => <StatusBadge status={sure} label={sureLabels[sure]} /> },
  {
    title: 'Why',
    cell: ({ reason }) => (
      <Text fz="xs" c="dimmed" miw="9rem">
        {reason}
      </Text>
    ),
  },
];

const sureLabels = { sure: 'Sure', likely: 'Likely', guess: 'A guess' } as const;

function sourcesText({ sources, source }: ManagedParameter): string {
  return (sources.length === 0 ? [source] : sources).map((one) => sourceLabel(one)).join(', ');
}

type SourceProps = Required<Pick<ParametersTableProps, 'onBind'>> & {
  parameter: ManagedParameter;
  used: readonly string[];
  pending: string | undefined;
};

/** The source of an input, to change; and of a guess, to confirm. */
function Source({ parameter, used, pending, onBind }: SourceProps) {
  const { target, source, sure } = parameter;
  return (
    <div className={classes['source']}>
      <Select
        aria-label={`What ${target} is set from`}
        size="xs"
        searchable
        allowDeselect={false}
        data={sourceChoices(used)}
        value={source}
        disabled={pending !== undefined}
        onChange={(chosen) => chosen !== null && chosen !== source && onBind(target, chosen)}
      />
      {sure === 'guess' && (
        <Button
          variant="default"
          loading={pending === target}
          disabled={pending !== undefined}
          aria-label={`Confirm ${sourceLabel(source)} for ${target}`}
          onClick={() => onBind(target, source)}
        >
          Confirm
        </Button>
      )}
    </div>
  );
}
