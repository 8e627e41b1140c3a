import { useDocumentVisibility } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Preview, Progress } from 'renderkit';
import { v1Query } from '../api/queries.ts';
import { holdStreamPlace } from '../api/stream-places.ts';
import { watchGeneration } from '../api/watch-generation.ts';

/** `stream` has previews and holds a connection open, `poll` asks every two seconds, `none` asks nothing. */
export type Watching = 'stream' | 'poll' | 'none';

const pollMs = 2_000;

/**
 * How far a generation is by now. When it has ended, what pages show of generations is read again. A stream that has no place
 * among those of all tabs asks instead, and a hidden page does neither.
 */
export function useProgress(id: string, watching: Watching): { progress?: Progress; preview?: Preview } {
  const { held: hasPlace, release } = useStreamPlace(id, watching === 'stream');
  const streams = hasPlace === true;
  const [news, setNews] = useState<{ progress?: Progress; preview?: Preview }>({});
  const queries = useQueryClient();
  useEffect(() => setNews({}), [id]);
  useEffect(() => {
    if (!streams) return undefined;
    const left = new AbortController();
    const listener = {
      progress: (progress: Progress) => setNews((before) => ({ ...before, progress })),
      preview: (preview: Preview) => setNews((before) => ({ ...before, preview })),
      done: () => void queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] }),
    };
    // Others need the place of a stream that has ended, or failed for good.
    void watchGeneration(id, listener, left.signal).then(() => left.signal.aborted || release());
    return () => left.abort();
  }, [id, streams, queries, release]);
  const asks = watching === 'poll' || hasPlace === false;
  const polled = useQuery({
    ...v1Query('getProgress', { params: { id } }),
    enabled: asks,
    placeholderData: undefined,
    retry: false,
    refetchInterval: pollMs,
  });
  return asks && polled.data !== undefined ? { ...news, progress: polled.data } : news;
}

/**
 * Whether there is a place for a stream of the generation, while one is wanted and the page is seen. Undefined where none is
 * wanted, until that is known, and once it was released.
 */
function useStreamPlace(id: string, wanted: boolean): { held: boolean | undefined; release: () => void } {
  const seen = useDocumentVisibility() === 'visible';
  const [held, setHeld] = useState<boolean>();
  const left = useRef<AbortController>(undefined);
  const active = wanted && seen;
  useEffect(() => {
    if (!active) return undefined;
    const controller = new AbortController();
    left.current = controller;
    void holdStreamPlace(setHeld, controller.signal);
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
