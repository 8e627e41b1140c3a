import { ActionIcon, Anchor, Text, Tooltip } from '@mantine/core';
import type { UploadRow } from '@renderkit/contract/console/schemas/storage.ts';
import { maxUsesCounted } from '@renderkit/contract/console/limits.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import type { ReactNode } from 'react';
import { formatBytes, formatCount } from '../../format/numbers.ts';
import { type Column, DataTable, NoWrap } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './storage.module.css';

type UploadsTableProps = {
  rows: readonly UploadRow[];
  stale: boolean;
  onDelete: (row: UploadRow) => void;
  footer: ReactNode;
};

/** `service/src/uploads/expire-unused.ts` deletes unused uploads. */
export function UploadsTable({ rows, stale, onDelete, footer }: UploadsTableProps) {
  return (
    <DataTable
      label="Uploads"
      rows={rows}
      rowKey={({ upload }) => upload.id}
      stale={stale}
      footer={footer}
      columns={[
        ...columns,
        {
          title: 'Actions',
          controls: true,
          align: 'right',
          cell: (row) => (
            <Tooltip label="Delete">
              <ActionIcon aria-label={`Delete ${row.upload.file_name}`} onClick={() => onDelete(row)}>
                <Icon name="trash" />
              </ActionIcon>
            </Tooltip>
          ),
        },
      ]}
    />
  );
}

const columns: Column<UploadRow>[] = [
  { title: 'File', minWidth: '12rem', cell: ({ upload }) => <File upload={upload} /> },
  {
    title: 'Size',
    align: 'right',
    cell: ({ upload }) => (
      <NoWrap>{upload.status === 'rejected' ? '—' : formatBytes(upload.size_bytes)}</NoWrap>
    ),
  },
  { title: 'Status', cell: ({ upload }) => <StatusBadge status={upload.status} /> },
  { title: 'Used by', cell: ({ uses }) => <Uses uses={uses} /> },
  {
    title: 'Arrived',
    cell: ({ upload }) => (
      <NoWrap>
        <Time at={upload.created_at} relative />
      </NoWrap>
    ),
  },
  {
    title: 'Goes by itself',
    cell: ({ kept_until: until }) => (
      <NoWrap>{until === null ? 'Not while it is in use' : <Time at={until} relative />}</NoWrap>
    ),
  },
];

function File({ upload }: { upload: Upload }) {
  const { file_name: name, url, type, status, width, height, error } = upload;
  return (
    <div className={classes['file']}>
      <span className={classes['thumb']} aria-hidden="true">
        {type === 'image' && status !== 'rejected' ? (
          <img src={url} alt="" loading="lazy" />
        ) : (
          <Icon name={type === 'video' ? 'video' : type === 'image' ? 'image' : 'play'} size={18} />
        )}
      </span>
      <div className={classes['text']}>
        {status === 'rejected' ? (
          <span className={classes['name']} title={name}>
            {name}
          </span>
        ) : (
          <Anchor
            className={classes['name']}
            href={url}
            target="_blank"
            rel="noreferrer"
            title={name}
            fz="sm"
            c="var(--mantine-color-text)"
          >
            {name}
          </Anchor>
        )}
        <Text fz="xs" c="dimmed" truncate title={error ?? undefined}>
          {error ?? (width === null || height === null ? type : `${type}, ${width} × ${height}`)}
        </Text>
      </div>
    </div>
  );
}

/** Shows how many generations use an upload, with a link to the newest. */
function Uses({ uses: { count, latest } }: Pick<UploadRow, 'uses'>) {
  const [newest] = latest;
  if (newest === undefined) return <Text fz="sm">Nothing</Text>;
  const total =
    count >= maxUsesCounted
      ? `${formatCount(count, 'generation')} or more`
      : formatCount(count, 'generation');
  return (
    <div>
      <TextLink to="/generations/$id" params={{ id: newest.id }} aria-label={`Newest of ${total}`}>
        <NoWrap>{total}</NoWrap>
      </TextLink>
      <Text fz="xs" c="dimmed">
        newest {newest.status}
      </Text>
    </div>
  );
}
