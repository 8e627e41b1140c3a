import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Preview, Progress } from 'renderkit';
import { v1Query } from '../api/queries.ts';
import { watchGeneration } from '../api/watch-generation.ts';

/** `stream` has previews and holds a connection open, `poll` asks every two seconds, `none` asks nothing. */
export type Watching = 'stream' | 'poll' | 'none';

/** A browser has six connections to a server; two are left for everything else. */
export const maxStreams = 4;
const pollMs = 2_000;

/** How far a generation is by now. When it has ended, what pages show of generations is read again. */
export function useProgress(id: string, watching: Watching): { progress?: Progress; preview?: Preview } {
  const [news, setNews] = useState<{ progress?: Progress; preview?: Preview }>({});
  const queries = useQueryClient();
  useEffect(() => {
    setNews({});
    if (watching !== 'stream') return undefined;
    const left = new AbortController();
    const listener = {
      progress: (progress: Progress) => setNews((before) => ({ ...before, progress })),
      preview: (preview: Preview) => setNews((before) => ({ ...before, preview })),
      done: () => void queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] }),
    };
    void watchGeneration(id, listener, left.signal);
    return () => left.abort();
  }, [id, watching, queries]);
  const polled = useQuery({
    ...v1Query('getProgress', { params: { id } }),
    enabled: watching === 'poll',
    placeholderData: undefined,
    retry: false,
    refetchInterval: pollMs,
  });
  return watching === 'poll' && polled.data !== undefined ? { progress: polled.data } : news;
}
