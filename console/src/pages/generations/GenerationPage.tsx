import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { consoleQuery, live } from '../../api/queries.ts';
import { isFinal } from '../../generations/generation-status.ts';
import { kinds } from '../../generations/kind-labels.ts';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { GenerationActions } from './GenerationActions.tsx';
import { GenerationView } from './GenerationView.tsx';

const route = getRouteApi('/signed-in/generations/$id');
/** Used while only a delivery of its event is pending. */
const slowRefetchMs = 10_000;

/** One generation: its request, its progress and its outputs. */
export function GenerationPage() {
  const { id } = route.useParams();
  const query = useQuery({
    ...consoleQuery('getGenerationDetail', { params: { id } }),
    placeholderData: undefined,
    refetchInterval: (one) => {
      const detail = one.state.data;
      if (detail === undefined) return false;
      if (!isFinal(detail.generation)) return live(one);
      return detail.event?.deliveries.some(({ status }) => status === 'pending') === true
        ? slowRefetchMs
        : false;
    },
  });
  const { data: detail, error } = query;
  const parent = { title: 'Generations', to: '/generations' } as const;
  if (detail === undefined)
    return (
      <Page title="Generation" parent={parent}>
        {error === null ? (
          <Stack gap="md" aria-busy="true" aria-label="Loading">
            <Skeleton h={280} />
            <Skeleton h={120} />
          </Stack>
        ) : (
          <ProblemAlert
            error={error}
            title="The generation could not be read"
            onRetry={() => void query.refetch()}
          />
        )}
      </Page>
    );
  const { generation } = detail;
  return (
    <Page
      title={`${kinds[generation.kind].name} by ${generation.model}`}
      parent={parent}
      actions={<GenerationActions detail={detail} />}
    >
      <GenerationView detail={detail} />
    </Page>
  );
}
