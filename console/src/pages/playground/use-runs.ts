import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { consoleQuery, v1Query } from '../../api/queries.ts';
import { parseJson } from '../../format/json.ts';
import { isFinal } from '../../generations/generation-status.ts';
import type { RequestBody } from '../../generations/kind-labels.ts';
import { maxStreams } from '../../api/stream-slots.ts';
import type { Watching } from '../../generations/use-progress.ts';
import type { ModelHistory } from '../../model-form/ModelPicker.tsx';
import { seedOf } from '../../model-form/seed.ts';

const maxRuns = 30;
/** Used while a generation is in progress. */
const pollMs = 1_500;
const pollAfterErrorMs = 10_000;

/** Returns the newest generations of the account, and refreshes them while one is in progress. */
export function useRuns(): readonly GenerationRow[] {
  const runs = useQuery({
    ...consoleQuery('listGenerationRows', { query: { limit: maxRuns } }),
    refetchInterval: ({ state: { data, status } }) => {
      if (status === 'error') return pollAfterErrorMs;
      return data?.data.every(({ generation }) => isFinal(generation)) === true ? false : pollMs;
    },
  });
  const rows = runs.data?.data ?? [];
  const finished = rows.flatMap(({ generation }) => (isFinal(generation) ? [generation.id] : []));
  useReloadWhenFinished(finished.join(' '));
  return rows;
}

/**
 * Reloads the data that changes when a generation finishes: the library, the balance next to the price, and the
 * provenance.
 */
function useReloadWhenFinished(finished: string): void {
  const queries = useQueryClient();
  const before = useRef(finished);
  useEffect(() => {
    if (before.current === finished) return;
    before.current = finished;
    for (const queryKey of [
      ['v1', 'listAssets'],
      ['v1', 'estimate'],
      // The random seed, version, backend and time are known only now.
      ['console', 'getGenerationDetail'],
    ])
      void queries.invalidateQueries({ queryKey });
  }, [finished, queries]);
}

/** Returns one generation and refreshes it until it has ended. `rows` already refreshes its own generations. */
export function useGeneration(id: string, rows: readonly GenerationRow[]) {
  const row = rows.find(({ generation }) => generation.id === id);
  const query = useQuery({
    ...v1Query('getGeneration', { params: { id } }),
    enabled: row === undefined,
    placeholderData: undefined,
    refetchInterval: ({ state: { data, status } }) => {
      if (status === 'error') return pollAfterErrorMs;
      return data !== undefined && isFinal(data) ? false : pollMs;
    },
  });
  return { generation: row?.generation ?? query.data, error: query.error, retry: () => void query.refetch() };
}

/**
 * Returns how each generation in progress is followed. Shown and running generations get the streams first, while there
 * are any. The others are polled.
 */
export function watchingOf(
  rows: readonly GenerationRow[],
  shown: readonly string[],
): ReadonlyMap<string, Watching> {
  const rank = ({ id, status }: Generation) => (shown.includes(id) ? 0 : 2) + (status === 'running' ? 0 : 1);
  const open = rows.map(({ generation }) => generation).filter((generation) => !isFinal(generation));
  const inOrder = open.toReversed().toSorted((one, other) => rank(one) - rank(other));
  return new Map(inOrder.map(({ id }, i) => [id, i < maxStreams ? 'stream' : 'poll']));
}

/** Returns facts about each model from its newest runs, by model id. */
export function useModelHistory(): ReadonlyMap<string, ModelHistory> {
  const runs = useQuery(consoleQuery('listGenerationRows', { query: { limit: maxRuns } }));
  const byModel = new Map<string, Generation[]>();
  for (const { generation } of runs.data?.data ?? [])
    if (generation.status === 'succeeded')
      byModel.set(generation.model, [...(byModel.get(generation.model) ?? []), generation]);
  return new Map([...byModel].map(([model, made]) => [model, historyOf(made)]));
}

function historyOf(made: readonly Generation[]): ModelHistory {
  const seconds = made
    .flatMap(({ submitted_at: from, completed_at: to }) =>
      from === null || to === null ? [] : [(Date.parse(to) - Date.parse(from)) / 1_000],
    )
    .toSorted((one, other) => one - other);
  const shown = made.flatMap(({ outputs }) => outputs).find(({ nsfw }) => !nsfw);
  return { seconds: seconds[Math.floor(seconds.length / 2)], picture: shown?.thumb_url ?? undefined };
}

/** Returns the prompt and the seed of a generation: the seed in its request, or the random one that it got. */
export function useRequestOf(id: string | undefined): {
  prompt: string | undefined;
  seed: number | undefined;
} {
  const detail = useQuery({
    ...consoleQuery('getGenerationDetail', { params: { id: id ?? '' } }),
    enabled: id !== undefined,
    placeholderData: undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const body = detail.data === undefined ? undefined : parseJson(detail.data.request.body);
  const named = typeof body === 'object' && body !== null ? seedOf(body as RequestBody) : undefined;
  const drawn = detail.data?.provenance.find(({ seed }) => seed !== null)?.seed ?? undefined;
  return { prompt: detail.data?.prompt ?? undefined, seed: named ?? drawn };
}
