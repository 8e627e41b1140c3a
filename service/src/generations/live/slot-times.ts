import type { Database } from '@renderkit/server-kit/db/database.ts';
import { RangeCache, type Range } from '@renderkit/server-kit/work/range-cache.ts';
import { type LiveRow, type SlotKey, readLive, readSlotTimes } from './store.ts';

/** How long an account's generations held their slots. */
export type SlotTimes = RangeCache<SlotKey>;

export function createSlotTimes(database: Database): SlotTimes {
  return new RangeCache<SlotKey>(
    ({ accountId, lane }) => `${lane ?? '*'} ${accountId}`,
    (keys) => readSlotTimes(database, keys),
  );
}

/** A generation, and when the slot that it waits for becomes free, in seconds; null where nobody can say. */
export type LiveView = LiveRow & { starts: Range | null };

/** Generations with the times of what waits for a slot of its plan, in order; undefined where there is none of that id. */
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

/** Whose times tell when its turn comes; null where its slot depends on more than its own account's queue. */
function slotsFor(row: LiveRow, accountId: string): { key: SlotKey; position: number; slots: number } | null {
  const { freeSlots, freeLaneSlots, position, slots, laneSlots, othersWait } = row;
  if (row.blocked || row.holdsSlot || position === null || slots === null || laneSlots === null) return null;
  if (freeLaneSlots !== null && freeLaneSlots <= 0 && laneSlots > 0 && (freeSlots ?? 1) > 0)
    return { key: { accountId, lane: row.lane }, position, slots: laneSlots };
  // Which lane gets the slot that becomes free is not known.
  if (freeSlots === null || freeSlots > 0 || othersWait || slots <= 0) return null;
  return { key: { accountId, lane: null }, position, slots: Math.min(slots, Math.max(1, laneSlots)) };
}

/** The first of a full plan waits for one of the slots, each of which is free after such a time. */
function startsIn(position: number, slots: number, { low, high }: Range): Range {
  return {
    low: rounded(Math.floor((position - 1) / slots) * low),
    high: rounded(Math.ceil(position / slots) * high),
  };
}

/** To a tenth of a second. */
const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
