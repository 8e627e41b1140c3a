import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { BackendDetail } from '@renderkit/contract/studio/administration/backends.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { consoleQuery, live } from '../../../api/queries.ts';
import { formatBytes } from '../../../format/numbers.ts';
import { Address } from '../../../ui/Address.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DescriptionList } from '../../../ui/DescriptionList.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Page } from '../../../ui/Page.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { Section } from '../../../ui/Section.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { Time } from '../../../ui/Time.tsx';
import { FitBadge } from '../FitBadge.tsx';
import { BackendMenu } from './BackendActions.tsx';
import { BackendState, slotsText } from './BackendState.tsx';
import { medianText } from './BackendsTable.tsx';
import { CheckModal } from './CheckModal.tsx';
import { Cost } from './Cost.tsx';
import { engineLabel } from './engine-labels.ts';

const route = getRouteApi('/signed-in/administration/backends/$name');

/** One backend: its state, the models it can make, and how long they take there. */
export function BackendPage() {
  const { name } = route.useParams();
  const navigate = route.useNavigate();
  const [checking, check] = useDisclosure(false);
  const { data: backend, ...query } = useQuery({
    ...consoleQuery('getBackend', { params: { name } }),
    refetchInterval: live,
  });
  return (
    <Page
      title={name}
      parent={{ title: 'Backends', to: '/administration/backends' }}
      description={backend && engineLabel(backend.engine)}
      actions={
        backend && (
          <>
            <Button variant="default" leftSection={<Icon name="refresh" size={14} />} onClick={check.open}>
              Check
            </Button>
            <BackendMenu
              backend={backend}
              onRemoved={() => void navigate({ to: '/administration/backends' })}
            />
          </>
        )
      }
    >
      {query.error !== null && <ProblemAlert error={query.error} title="The backend could not be read" />}
      {query.isPending && <ListSkeleton />}
      {backend !== undefined && (
        <>
          <Summary backend={backend} />
          <Routes backend={backend} />
          <CheckModal backend={backend} opened={checking} onClose={check.close} />
        </>
      )}
    </Page>
  );
}

function Summary({ backend }: { backend: BackendDetail }) {
  const { last_fault: error, labels, loaded, vram_bytes: memory } = backend;
  return (
    <Section title="Backend">
      <DescriptionList
        items={[
          ['State', <BackendState key="state" backend={backend} />],
          ['Running', slotsText(backend)],
          ['Address', backend.url === null ? undefined : <Address key="url" url={backend.url} />],
          ['Version', backend.version ?? undefined],
          ['Memory of its card', memory === null ? undefined : formatBytes(memory)],
          ['Labels', labels.length === 0 ? 'None' : labels.join(', ')],
          ['Loaded', loaded.length === 0 ? 'Nothing, as far as is known' : loaded.join(', ')],
          ['Spent today', <Cost key="cost" backend={backend} amount={backend.cost_today} />],
          ['Secret', secretText(backend)],
        ]}
      />
      {error !== null && (
        <Notice mt="md" title="Last error">
          {error.message}{' '}
          <Text component="span" c="dimmed" fz="xs">
            <Time at={error.at} relative />
          </Text>
        </Notice>
      )}
    </Section>
  );
}

function secretText({ is_local, has_secret, has_headers }: BackendDetail): string | undefined {
  if (is_local) return undefined;
  const kept = [has_secret && 'a secret', has_headers && 'headers'].filter((one) => one !== false);
  return kept.length === 0 ? 'None' : `It has ${kept.join(' and ')}, kept encrypted`;
}

type RouteRow = BackendDetail['routes'][number] & { times: BackendDetail['times'][number] | undefined };

/** The routes that work on the backend, and how long they take. */
function Routes({ backend: { routes, times } }: { backend: BackendDetail }) {
  const rows = routes.map((one) => ({ ...one, times: times.find(({ model }) => model === one.model) }));
  return (
    <Section title="Models on offer that name it" card={false}>
      {rows.length === 0 ? (
        <Text fz="sm" c="dimmed">
          None yet. Import a workflow for it on the page of models.
        </Text>
      ) : (
        <DataTable
          label="Models on offer that name it"
          rows={rows}
          rowKey={({ model, route: name }) => `${model} ${name}`}
          columns={routeColumns}
          footer={
            <Text fz="xs" c="dimmed" px="sm" py={6}>
              Wait and run are medians of the last 24 hours.
            </Text>
          }
        />
      )}
    </Section>
  );
}

const routeColumns: Column<RouteRow>[] = [
  {
    title: 'Model',
    cell: ({ model, route: name }) => (
      <div>
        <TextLink to="/administration/models/$id" params={{ id: model }}>
          {model}
        </TextLink>
        <Text fz="xs" c="dimmed">
          {name}
        </Text>
      </div>
    ),
  },
  { title: 'Fits', cell: (row) => <FitBadge fits={row.fits} problems={row.problems} /> },
  { title: 'Wait', align: 'right', cell: ({ times }) => medianText(times?.median_wait_seconds ?? null) },
  { title: 'Run', align: 'right', cell: ({ times }) => medianText(times?.median_run_seconds ?? null) },
  { title: 'Jobs', align: 'right', cell: ({ times }) => times?.jobs ?? 0 },
];
