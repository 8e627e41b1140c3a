import { Button, Group, Progress, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Generation, GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { callV1 } from '../../api/client.ts';
import { v1Query } from '../../api/queries.ts';
import { ItemActions } from '../../media/ItemActions.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import { OutputGrid } from '../../media/OutputGrid.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { countOf } from '../../format/numbers.ts';
import { Notice } from '../../ui/Notice.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { isFinal, spanText, whatToDo } from '../../generations/generation-status.ts';
import classes from './playground.module.css';

/** The answer is held back for a second; with the pause after it, that is one request in two. */
const waitSeconds = 1;
const pauseMs = 1_000;
const pauseAfterErrorMs = 10_000;

/** What came of a run, or how far it is. */
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
  const place = useShown(id);
  useSettled(query.data);
  if (id === undefined) return <Nothing kind={kind} />;
  const { data: generation, error } = query;
  if (generation === undefined)
    return (
      <section ref={place} className={classes['result']} aria-label="Result" aria-busy={error === null}>
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
    <section ref={place} className={classes['result']} aria-label="Result">
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

/** What has just ended is among the recent runs and in the library, and the balance is another. */
function useSettled(generation: Generation | undefined): void {
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

/** Brings the result of a new run into sight; on narrow screens it stands below the form. */
function useShown(id: string | undefined) {
  const place = useRef<HTMLElement>(null);
  const before = useRef(id);
  useEffect(() => {
    if (id !== before.current) place.current?.scrollIntoView({ block: 'nearest' });
    before.current = id;
  });
  return place;
}

function Outcome({ generation }: { generation: Generation }) {
  const { status, outputs, error, expected_outputs: expected } = generation;
  if (!isFinal(generation))
    return (
      <div className={classes['waiting']}>
        <Progress value={100} animated striped w="60%" maw="16rem" size="sm" aria-label="Under way" />
        <Text fz="sm" c="dimmed" ta="center">
          {status === 'queued' ? 'It waits for its turn.' : 'The studio is at it.'}
        </Text>
      </div>
    );
  return (
    <>
      {error !== null && (
        <Notice
          tone={status === 'succeeded' ? 'warning' : 'bad'}
          title={
            status === 'succeeded'
              ? `${outputs.length} of ${countOf(expected, 'output')} were made`
              : 'It failed'
          }
        >
          <div>{error.message}</div>
          <div>{whatToDo(error.code)}</div>
        </Notice>
      )}
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

/** Seconds since it was accepted, or that it took. */
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
      {spanText(open ? Math.floor((end - Date.parse(created)) / 1_000) * 1_000 : end - Date.parse(created))}
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
