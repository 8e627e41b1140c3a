import type { Database } from '@renderkit/server-kit/db/database.ts';
import { KeptRanges, type Range } from '@renderkit/server-kit/work/kept-ranges.ts';
import { type LiveRow, type PlaceKey, readLive, readPlaceTimes } from './store.ts';

/** How long an account's generations held their places. */
export type PlaceTimes = KeptRanges<PlaceKey>;

export function createPlaceTimes(database: Database): PlaceTimes {
  return new KeptRanges<PlaceKey>(
    ({ accountId, lane }) => `${lane ?? '*'} ${accountId}`,
    (keys) => readPlaceTimes(database, keys),
  );
}

/** A generation, and when the place that it waits for becomes free, in seconds; null where nobody can say. */
export type LiveView = LiveRow & { starts: Range | null };

/** Generations with the times of what waits for a place of its plan, in order; undefined where there is none of that id. */
export async function readWithPlaces(
  database: Database,
  times: PlaceTimes,
  asked: readonly { id: string; accountId: string }[],
): Promise<(LiveView | undefined)[]> {
  const rows = await readLive(database, asked);
  const waiting = rows.map((row, i) => row && placesFor(row, asked[i]?.accountId ?? ''));
  const keys = waiting.flatMap((wait) => (wait ? [wait.key] : []));
  const ranges = keys.length > 0 ? await times.read(keys) : [];
  let next = 0;
  return rows.map((row, i) => {
    const wait = waiting[i];
    const range = wait ? ranges[next++] : null;
    return row && { ...row, starts: wait && range ? startsIn(wait.position, wait.places, range) : null };
  });
}

/** Whose times tell when its turn comes; null where its place depends on more than its own account's queue. */
function placesFor(
  row: LiveRow,
  accountId: string,
): { key: PlaceKey; position: number; places: number } | null {
  const { freeOverall, freeInLane, position, places, placesInLane, othersWait } = row;
  if (row.blocked || row.holdsSlot || position === null || places === null || placesInLane === null)
    return null;
  if (freeInLane !== null && freeInLane <= 0 && placesInLane > 0 && (freeOverall ?? 1) > 0)
    return { key: { accountId, lane: row.lane }, position, places: placesInLane };
  // Which lane gets the place that becomes free is not known.
  if (freeOverall === null || freeOverall > 0 || othersWait || places <= 0) return null;
  return { key: { accountId, lane: null }, position, places: Math.min(places, Math.max(1, placesInLane)) };
}

/** The first of a full plan waits for one of the places, each of which is free after such a time. */
function startsIn(position: number, places: number, { low, high }: Range): Range {
  return {
    low: rounded(Math.floor((position - 1) / places) * low),
    high: rounded(Math.ceil(position / places) * high),
  };
}

/** To a tenth of a second. */
const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
