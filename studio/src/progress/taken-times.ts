import type { Database } from '@renderkit/server-kit/db/database.ts';
import { RangeCache, type Range } from '@renderkit/server-kit/work/range-cache.ts';
import { readTaken, type TakenKey } from './store.ts';

/**
 * How long renders took: 20 % of the last ones took less than `low`, 20 % more than `high`. `RangeCache` needs five of
 * them. `service/src/generations/live/slot-times.ts` has the times of a plan's slots.
 */
export type TakenTimes = RangeCache<TakenKey>;

export function createTakenTimes(database: Database): TakenTimes {
  return new RangeCache<TakenKey>(
    ({ model, kind, outputs }) => `${kind} ${outputs} ${model}`,
    (keys) => readTaken(database, keys),
  );
}

/** Returns when a render at this position starts if `running` renders run at once; `null` when this is unknown. */
export function startsIn(position: number | null, running: number, taken: Range | null): Range | null {
  if (taken === null || position === null || running === 0) return null;
  return {
    low: Math.floor((position - 1) / running) * taken.low,
    high: Math.ceil(position / running) * taken.high,
  };
}

/** Returns when a render ends that has run for `runSeconds`; `null` when the render takes longer than earlier ones. */
export function finishesIn(runSeconds: number, taken: Range | null): Range | null {
  if (taken === null || runSeconds > taken.high) return null;
  return { low: Math.max(0, taken.low - runSeconds), high: taken.high - runSeconds };
}
