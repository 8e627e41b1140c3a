import type { GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { LRUCache } from 'lru-cache';
import { countByDay } from './console-rows-store.ts';

/** Generations created on one UTC day, counted by outcome. `open`: those that have not finished. */
export type Outcomes = { succeeded: number; failed: number; canceled: number; open: number };

/** Returns an account's outcomes for each of these UTC days, in order. `today` is the last day that has begun. */
export type ReadOutcomes = (accountId: string, days: readonly string[], today: string) => Promise<Outcomes[]>;

/** A count of one day and status stops at this number: 20 ms along an index. */
const maxCounted = 100_000;
/** How many days one statement counts. */
const daysAtOnce = 10;
/** A past day rarely changes, and only while something of it is open, so its counts are cached for this time. */
const openDayMs = 60_000;
const settledDayMs = 600_000;
const maxDays = 50_000;

/** Returns a function that counts outcomes. Past days are cached in this process; today is counted each time. */
export function createOutcomes(database: Database): ReadOutcomes {
  const remembered = new LRUCache<string, Outcomes>({ max: maxDays });
  return async (accountId, days, today) => {
    const known = new Map<string, Outcomes>();
    for (const day of days) {
      const outcomes = day === today ? undefined : remembered.get(`${accountId} ${day}`);
      if (outcomes !== undefined) known.set(day, outcomes);
    }
    const missing = days.filter((day) => !known.has(day));
    for (let i = 0; i < missing.length; i += daysAtOnce)
      for (const [day, outcomes] of await count(database, accountId, missing.slice(i, i + daysAtOnce))) {
        known.set(day, outcomes);
        const ttl = outcomes.open > 0 ? openDayMs : settledDayMs;
        if (day !== today) remembered.set(`${accountId} ${day}`, outcomes, { ttl });
      }
    return days.map((day) => known.get(day) ?? nothing());
  };
}

async function count(
  database: Database,
  accountId: string,
  days: readonly string[],
): Promise<Map<string, Outcomes>> {
  const counted = new Map(days.map((day) => [day, nothing()]));
  for (const { day, status, count: n } of await countByDay(database, accountId, days, maxCounted)) {
    const outcomes = counted.get(day);
    if (outcomes !== undefined) outcomes[outcomeOf[status]] += n;
  }
  return counted;
}

const outcomeOf = {
  queued: 'open',
  running: 'open',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
} as const satisfies Record<GenerationStatus, keyof Outcomes>;

function nothing(): Outcomes {
  return { succeeded: 0, failed: 0, canceled: 0, open: 0 };
}
