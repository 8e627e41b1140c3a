import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import { Button, Group, Loader, Text } from '@mantine/core';
import type { ModelSample } from '@renderkit/contract/studio/administration/models.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { callConsole } from '../../../api/client.ts';
import { hasCode, isTransient } from '../../../api/errors.ts';
import { consoleQuery, live } from '../../../api/queries.ts';
import { formatDuration } from '../../../format/durations.ts';
import { formatCount } from '../../../format/numbers.ts';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { Section } from '../../../ui/Section.tsx';
import { Thumbnail } from './ModelsTable.tsx';
import classes from './models.module.css';
import { invalidateModels } from './invalidate-models.ts';

type SampleProps = { id: string; version: number; thumbnail: string | null };

/** Returns whether no sample was requested yet. */
const isMissing = (error: unknown): boolean => hasCode(error, 'not_found');
const isMoving = (sample: ModelSample | undefined): boolean =>
  sample?.state === 'queued' || sample?.state === 'running';

/** Returns the sample of a version. `undefined` when there is none. */
export function useSample(id: string, version: number) {
  return useQuery({
    ...consoleQuery('getModelSample', { params: { id, version: String(version) } }),
    retry: (failures, error) => failures < 2 && isTransient(error),
    refetchInterval: (query) => (isMoving(query.state.data) ? live(query) : false),
  });
}

/**
 * Shows what the version makes, how long that took, and the price that follows. The sample belongs to the installation,
 * so nobody pays for it. `priceOfSample` in `studio/src/administration/sample-model.ts` proposes the price.
 */
export function Sample({ id, version, thumbnail }: SampleProps) {
  const queryClient = useQueryClient();
  const { data: sample, error } = useSample(id, version);
  const render = useMutation({
    mutationFn: () => callConsole('sampleModel', { params: { id }, body: { version } }),
    meta: { inline: true },
    onSuccess: () => invalidateModels(queryClient),
  });
  const stop = useMutation({
    mutationFn: () => callConsole('stopModelSample', { params: { id }, body: { version } }),
    meta: { inline: true },
    onSettled: () => invalidateModels(queryClient),
  });
  const moving = isMoving(sample);
  const picture = sample?.thumbnail ?? thumbnail;
  return (
    <Section title="Sample">
      <div className={classes['summary']}>
        {picture !== null && <Thumbnail url={picture} size="large" />}
        <div>
          <SampleText sample={sample} />
          {error !== null && !isMissing(error) && <ProblemAlert error={error} />}
          {render.error !== null && <ProblemAlert error={render.error} title="No sample was begun" />}
          {stop.error !== null && <ProblemAlert error={stop.error} title="The sample was not stopped" />}
          <Group mt="sm">
            {moving && (
              <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
                Stop the sample
              </Button>
            )}
            <Button
              variant="default"
              loading={render.isPending}
              disabled={moving}
              onClick={() => render.mutate()}
            >
              {sample === undefined ? 'Render a sample' : 'Render another sample'}
            </Button>
          </Group>
        </div>
      </div>
    </Section>
  );
}

function SampleText({ sample }: { sample: ModelSample | undefined }) {
  if (sample === undefined)
    return <Text fz="sm">None yet. It shows what the model makes, and how long that takes.</Text>;
  if (isMoving(sample))
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" />
        <Text fz="sm">
          {sample.reason ?? (sample.state === 'queued' ? 'It waits for a backend…' : 'It is being rendered…')}
        </Text>
      </Group>
    );
  if (sample.state === 'failed') return <Text fz="sm">It failed. {sample.reason}</Text>;
  return (
    <Text fz="sm">
      {sample.seconds === null ? 'It was rendered.' : `It took ${formatDuration(sample.seconds * 1_000)}.`}
      {sample.proposed_millicredits !== null &&
        ` By that ${formatCount(creditsOf(sample.proposed_millicredits), 'credit')} would be its price.`}
    </Text>
  );
}
