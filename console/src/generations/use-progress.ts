import { useDocumentVisibility } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Preview, Progress } from 'renderkit';
import { v1Query } from '../api/queries.ts';
import { holdStreamSlot } from '../api/stream-slots.ts';
import { watchGeneration } from '../api/watch-generation.ts';
import { isOfStatus } from './generation-status.ts';

/**
 * How to follow a generation. `stream` has previews and holds a connection open. `poll` asks every two seconds. `none`
 * sends no requests and shows what other parts of the page have loaded. `watchingOf` in
 * `console/src/pages/playground/use-runs.ts` chooses the way for each generation in the playground.
 */
export type Watching = 'stream' | 'poll' | 'none';

const pollMs = 2_000;

/**
 * Returns the progress of a generation, if it fits the status that the page shows. When the status changes, the data
 * about generations is read again. A stream without a free slot polls instead. A hidden page does neither.
 */
export function useProgress(
  { id, status }: Pick<Generation, 'id' | 'status'>,
  watching: Watching,
): { progress?: Progress; preview?: Preview } {
  const { held: hasSlot, release } = useStreamSlot(id, watching === 'stream');
  const streams = hasSlot === true;
  const [preview, setPreview] = useState<Preview>();
  const queries = useQueryClient();
  const question = v1Query('getProgress', { params: { id } });
  useEffect(() => setPreview(undefined), [id]);
  useEffect(() => {
    if (!streams) return undefined;
    const left = new AbortController();
    const listener = {
      // The status reports that the generation has ended.
      progress: (progress: Progress) =>
        progress.stage !== 'done' && void queries.setQueryData(question.queryKey, progress),
      preview: setPreview,
      status: () => {
        for (const queryKey of [
          ['console', 'listGenerationRows'],
          ['console', 'getGenerationDetail', { params: { id } }],
          ['v1', 'getGeneration', { params: { id } }],
        ])
          void queries.invalidateQueries({ queryKey });
      },
    };
    // Releases the slot of a stream that has ended or failed, because others need it.
    void watchGeneration(id, listener, left.signal).then(() => left.signal.aborted || release());
    return () => left.abort();
    // `question` is a new object in each render, but depends only on the id.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [id, streams, queries, release]);
  const asks = watching === 'poll' || hasSlot === false;
  const { data: progress } = useQuery({
    ...question,
    enabled: asks,
    placeholderData: undefined,
    retry: false,
    refetchInterval: pollMs,
  });
  return {
    ...(progress !== undefined && isOfStatus(progress.stage, status) && { progress }),
    ...(preview !== undefined && { preview }),
  };
}

/**
 * Returns whether a slot is held for a stream of the generation, while a stream is wanted and the page is visible.
 * `undefined` when none is wanted, before that is known, and after the slot was released.
 */
function useStreamSlot(id: string, wanted: boolean): { held: boolean | undefined; release: () => void } {
  const seen = useDocumentVisibility() === 'visible';
  const [held, setHeld] = useState<boolean>();
  const left = useRef<AbortController>(undefined);
  const active = wanted && seen;
  useEffect(() => {
    if (!active) return undefined;
    const controller = new AbortController();
    left.current = controller;
    void holdStreamSlot(setHeld, controller.signal);
    return () => {
      controller.abort();
      setHeld(undefined);
    };
  }, [id, active]);
  const release = useCallback(() => {
    left.current?.abort();
    setHeld(undefined);
  }, []);
  return { held: active ? held : undefined, release };
}
