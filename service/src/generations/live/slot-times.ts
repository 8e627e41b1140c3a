import type { Database } from '@renderkit/server-kit/db/database.ts';
import { RangeCache, type Range } from '@renderkit/server-kit/work/range-cache.ts';
import { type LiveRow, type SlotKey, readLive, readSlotTimes } from './store.ts';

/** Caches how long an account's generations held their slots. */
export type SlotTimes = RangeCache<SlotKey>;

export function createSlotTimes(database: Database): SlotTimes {
  return new RangeCache<SlotKey>(
    ({ accountId, lane }) => `${lane ?? '*'} ${accountId}`,
    (keys) => readSlotTimes(database, keys),
  );
}

/** A generation, and the seconds until the slot that it waits for becomes free; null where this cannot be estimated. */
export type LiveView = LiveRow & { starts: Range | null };

/**
 * Returns generations in the order asked, with the estimated start of those that wait for a slot of their plan;
 * undefined where the account has none of that id.
 */
export async function readWithStarts(
  database: Database,
  times: SlotTimes,
  asked: readonly { id: string; accountId: string }[],
): Promise<(LiveView | undefined)[]> {
  const rows = await readLive(database, asked);
  const waiting = rows.map((row, i) => row && slotsFor(row, asked[i]?.accountId ?? ''));
  const keys = waiting.flatMap((wait) => (wait ? [wait.key] : []));
  const ranges = keys.length > 0 ? await times.read(keys) : [];
  let next = 0;
  return rows.map((row, i) => {
    const wait = waiting[i];
    const range = wait ? ranges[next++] : null;
    return row && { ...row, starts: wait && range ? startsIn(wait.position, wait.slots, range) : null };
  });
}

/**
 * Returns the key of the slot times that the estimate needs. Null where the slot depends on more than the account's own
 * queue.
 */
function slotsFor(row: LiveRow, accountId: string): { key: SlotKey; position: number; slots: number } | null {
  const { freeSlots, freeLaneSlots, position, slots, laneSlots, othersWait } = row;
  if (row.blocked || row.holdsSlot || position === null || slots === null || laneSlots === null) return null;
  if (freeLaneSlots !== null && freeLaneSlots <= 0 && laneSlots > 0 && (freeSlots ?? 1) > 0)
    return { key: { accountId, lane: row.lane }, position, slots: laneSlots };
  // It is not known which lane gets the next free slot.
  if (freeSlots === null || freeSlots > 0 || othersWait || slots <= 0) return null;
  return { key: { accountId, lane: null }, position, slots: Math.min(slots, Math.max(1, laneSlots)) };
}

/** Estimates the start in a full plan: each slot becomes free after a time within the range. */
function startsIn(position: number, slots: number, { low, high }: Range): Range {
  return {
    low: rounded(Math.floor((position - 1) / slots) * low),
    high: rounded(Math.ceil(position / slots) * high),
  };
}

/** Rounds to a tenth of a second. */
const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
