import { Text } from '@mantine/core';
import type { ManagedModel } from '@renderkit/contract/studio/administration/models.ts';
import { type Column, DataTable, NoWrap } from '../../../ui/DataTable.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { ModelState } from './ModelState.tsx';
import { priceText, suitesText } from './model-texts.ts';
import classes from './models.module.css';

export function ModelsTable({ models }: { models: readonly ManagedModel[] }) {
  return <DataTable label="Models" rows={models} rowKey={(model) => model.id} columns={columns} />;
}

const columns: Column<ManagedModel>[] = [
  {
    title: 'Model',
    minWidth: '12.5rem',
    cell: (model) => (
      <div className={classes['model']}>
        <Thumbnail url={model.thumbnail} />
        <div className={classes['text']}>
          <TextLink to="/administration/models/$id" params={{ id: model.id }} fw={560}>
            {model.name}
          </TextLink>
          <Text fz="xs" c="dimmed">
            {model.id}
          </Text>
        </div>
      </div>
    ),
  },
  { title: 'State', cell: (model) => <ModelState model={model} /> },
  { title: 'Makes', cell: (model) => suitesText(model.suites) },
  { title: 'Price', cell: (model) => <NoWrap>{priceText(model.price)}</NoWrap> },
  { title: 'Version', cell: (model) => <Versions model={model} /> },
  {
    title: 'Fits on',
    cell: ({ fits_on: backends }) => (backends.length === 0 ? 'None' : backends.join(', ')),
  },
];

/** The thumbnail of a model, or a placeholder when there is none. */
export function Thumbnail({ url, size = 'small' }: { url: string | null; size?: 'small' | 'large' }) {
  return (
    <span className={classes['thumb']} data-size={size}>
      {url === null ? <Icon name="models" size={18} /> : <img src={url} alt="" loading="lazy" />}
    </span>
  );
}

function Versions({
  model: { published_version: published, draft_version: draft },
}: {
  model: ManagedModel;
}) {
  return (
    <div>
      <Text fz="sm">{published === null ? '—' : published}</Text>
      {draft !== null && (
        <Text fz="xs" c="dimmed">
          draft {draft}
        </Text>
      )}
    </div>
  );
}
