import { Text } from '@mantine/core';
import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';
import { formatDuration } from '../../../format/durations.ts';
import { type Column, DataTable, NoWrap } from '../../../ui/DataTable.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { Time } from '../../../ui/Time.tsx';
import { BackendMenu } from './BackendActions.tsx';
import { BackendState, slotsText } from './BackendState.tsx';
import { Cost } from './Cost.tsx';
import { engineLabel } from './engine-labels.ts';

export function BackendsTable({ backends }: { backends: readonly ManagedBackend[] }) {
  return (
    <DataTable
      label="Backends"
      rows={backends}
      rowKey={(backend) => backend.name}
      columns={[
        ...columns,
        {
          title: 'Actions',
          controls: true,
          align: 'right',
          cell: (backend) => <BackendMenu backend={backend} />,
        },
      ]}
    />
  );
}

const columns: Column<ManagedBackend>[] = [
  {
    title: 'Backend',
    minWidth: '7.5rem',
    cell: (backend) => (
      <div>
        <TextLink to="/administration/backends/$name" params={{ name: backend.name }} fw={560}>
          {backend.name}
        </TextLink>
        <Text fz="xs" c="dimmed">
          {engineLabel(backend.engine)}
          {backend.version !== null && ` ${backend.version}`}
        </Text>
      </div>
    ),
  },
  { title: 'State', minWidth: '10rem', cell: (backend) => <BackendState backend={backend} /> },
  { title: 'Running', align: 'right', cell: (backend) => <NoWrap>{slotsText(backend)}</NoWrap> },
  { title: 'Loaded', ownLine: true, cell: ({ loaded }) => (loaded.length === 0 ? '—' : loaded.join(', ')) },
  { title: 'Wait and run', cell: (backend) => <BusiestModel backend={backend} /> },
  { title: 'Last error', ownLine: true, cell: ({ last_fault: error }) => <LastError error={error} /> },
  {
    title: 'Spent today',
    align: 'right',
    cell: (backend) => <Cost backend={backend} amount={backend.cost_today} />,
  },
];

/** Medians of the model that the backend made most often. The backend's page shows the other models. */
function BusiestModel({ backend: { times } }: { backend: ManagedBackend }) {
  const [most] = times.toSorted((a, b) => b.jobs - a.jobs);
  if (most === undefined) return '—';
  return (
    <div>
      <Text fz="sm">
        <NoWrap>
          {medianText(most.median_wait_seconds)} + {medianText(most.median_run_seconds)}
        </NoWrap>
      </Text>
      <Text fz="xs" c="dimmed">
        {most.model}
        {times.length > 1 && ` and ${times.length - 1} more`}
      </Text>
    </div>
  );
}

export function medianText(seconds: number | null): string {
  return seconds === null ? '—' : formatDuration(seconds * 1_000);
}

function LastError({ error }: { error: ManagedBackend['last_fault'] }) {
  if (error === null) return 'None';
  return (
    <div style={{ maxWidth: '14rem' }}>
      <Text fz="sm" lineClamp={2} title={error.message}>
        {error.message}
      </Text>
      <Text fz="xs" c="dimmed">
        <Time at={error.at} relative />
      </Text>
    </div>
  );
}
