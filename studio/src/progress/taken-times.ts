import type { Database } from '@renderkit/server-kit/db/database.ts';
import { RangeCache, type Range } from '@renderkit/server-kit/work/range-cache.ts';
import { readTaken, type TakenKey } from './store.ts';

/** How long renders took: a fifth of the last ones took less than the one, a fifth more than the other. */
export type TakenTimes = RangeCache<TakenKey>;

export function createTakenTimes(database: Database): TakenTimes {
  return new RangeCache<TakenKey>(
    ({ model, kind, outputs }) => `${kind} ${outputs} ${model}`,
    (keys) => readTaken(database, keys),
  );
}

/** When a render starts that is at this position, where so many run side by side; null where nobody knows. */
export function startsIn(position: number | null, running: number, taken: Range | null): Range | null {
  if (taken === null || position === null || running === 0) return null;
  return {
    low: Math.floor((position - 1) / running) * taken.low,
    high: Math.ceil(position / running) * taken.high,
  };
}

/** When a render ends that has run for so long; null where it takes longer than those before it did. */
export function finishesIn(runSeconds: number, taken: Range | null): Range | null {
  if (taken === null || runSeconds > taken.high) return null;
  return { low: Math.max(0, taken.low - runSeconds), high: taken.high - runSeconds };
}
