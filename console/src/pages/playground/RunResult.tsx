import { Button, Group, Text } from '@mantine/core';
import type { Generation, GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { callV1 } from '../../api/client.ts';
import { v1Query } from '../../api/queries.ts';
import { formatDuration } from '../../format/durations.ts';
import { GenerationError } from '../../generations/GenerationError.tsx';
import { LiveProgress } from '../../generations/LiveProgress.tsx';
import { isFinal } from '../../generations/generation-status.ts';
import { ItemActions } from '../../media/ItemActions.tsx';
import { OutputGrid } from '../../media/OutputGrid.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import classes from './playground.module.css';

/** The service waits for a second before it answers; with the pause after it, that is a request every two. */
const waitSeconds = 1;
const pauseMs = 1_000;
const pauseAfterErrorMs = 10_000;

/** The result of a run, or how far it is. */
export function RunResult({ id, kind }: { id: string | undefined; kind: GenerationKind }) {
  const query = useQuery({
    ...v1Query('getGeneration', { params: { id: id ?? '' }, query: { wait: waitSeconds } }),
    enabled: id !== undefined,
    placeholderData: undefined,
    refetchInterval: ({ state: { data, status } }) => {
      if (data !== undefined && isFinal(data)) return false;
      return status === 'error' ? pauseAfterErrorMs : pauseMs;
    },
  });
  const resultRef = useScrollToNew(id);
  useReloadWhenFinished(query.data);
  if (id === undefined) return <Nothing kind={kind} />;
  const { data: generation, error } = query;
  if (generation === undefined)
    return (
      <section ref={resultRef} className={classes['result']} aria-label="Result" aria-busy={error === null}>
        {error !== null && (
          <ProblemAlert
            error={error}
            title="The result could not be read"
            onRetry={() => void query.refetch()}
          />
        )}
      </section>
    );
  return (
    <section ref={resultRef} className={classes['result']} aria-label="Result">
      <Group justify="space-between" gap="xs" role="status">
        <Group gap="sm">
          <StatusBadge status={generation.status} />
          <Elapsed generation={generation} />
        </Group>
        <Group gap="xs">
          {generation.status === 'queued' && <Cancel generation={generation} />}
          <TextLink to="/generations/$id" params={{ id: generation.id }}>
            Details
          </TextLink>
        </Group>
      </Group>
      <Outcome generation={generation} />
    </section>
  );
}

/** Reloads what has changed when a generation has finished: the recent runs, the library, the price's balance. */
function useReloadWhenFinished(generation: Generation | undefined): void {
  const queries = useQueryClient();
  const open = useRef(false);
  useEffect(() => {
    if (generation === undefined) return;
    if (open.current && isFinal(generation))
      for (const queryKey of [
        ['console', 'listGenerationRows'],
        ['v1', 'listAssets'],
        ['v1', 'estimate'],
      ])
        void queries.invalidateQueries({ queryKey });
    open.current = !isFinal(generation);
  }, [generation, queries]);
}

/** Scrolls to the result of a new run; on narrow screens it is below the form. */
function useScrollToNew(id: string | undefined) {
  const element = useRef<HTMLElement>(null);
  const before = useRef(id);
  useEffect(() => {
    if (id !== before.current) element.current?.scrollIntoView({ block: 'nearest' });
    before.current = id;
  });
  return element;
}

function Outcome({ generation }: { generation: Generation }) {
  const { status, outputs } = generation;
  if (!isFinal(generation))
    return (
      <div className={classes['waiting']}>
        <LiveProgress generation={generation} />
      </div>
    );
  return (
    <>
      <GenerationError generation={generation} />
      {status === 'canceled' && (
        <Text fz="sm" c="dimmed">
          It was canceled before it began, and costs nothing.
        </Text>
      )}
      {outputs.length > 0 && (
        <OutputGrid items={outputs.map(itemOfOutput)} details={(item) => <ItemActions item={item} />} />
      )}
    </>
  );
}

/** How long a generation has been under way, or how long it took. */
function Elapsed({ generation }: { generation: Generation }) {
  const { created_at: created, completed_at: completed } = generation;
  const [now, setNow] = useState(Date.now);
  const open = completed === null;
  useEffect(() => {
    if (!open) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [open]);
  const end = completed === null ? now : Date.parse(completed);
  return (
    <Text fz="sm" c="dimmed" component="span" aria-live="off">
      {formatDuration(
        open ? Math.floor((end - Date.parse(created)) / 1_000) * 1_000 : end - Date.parse(created),
      )}
    </Text>
  );
}

function Cancel({ generation: { id } }: { generation: Generation }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => callV1('cancelGeneration', { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['v1', 'getGeneration'] }),
  });
  return (
    <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel generation
    </Button>
  );
}

function Nothing({ kind }: { kind: GenerationKind }) {
  const noun = kind === 'image' || kind === 'image_edit' ? 'picture' : 'video';
  return (
    <EmptyState icon={noun === 'picture' ? 'image' : 'video'} title={`Your ${noun} appears here`}>
      Fill in the form and run it. Everything you run is kept under Generations, everything made in the
      Library.
    </EmptyState>
  );
}
