import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type LiveRow, type PlaceKey, readLive, readPlaceTimes } from './store.ts';

/** Seconds: from the one to the other. */
type Range = { low: number; high: number };

/** Fewer tell nothing. */
const minSamples = 5;
const keptMs = 10_000;
const maxKept = 10_000;

/** How long an account's generations held their places, kept for a few seconds: many streams ask for the same account. */
export class PlaceTimes {
  readonly #database: Database;
  readonly #kept = new Map<string, { range: Range | null; at: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** For each key the range; null where fewer than five generations tell it. */
  async read(keys: readonly PlaceKey[]): Promise<(Range | null)[]> {
    const now = performance.now();
    const missing = new Map<string, PlaceKey>();
    for (const key of keys) {
      const kept = this.#kept.get(nameOf(key));
      if (kept === undefined || now - kept.at > keptMs) missing.set(nameOf(key), key);
    }
    if (missing.size > 0) {
      if (this.#kept.size > maxKept) this.#kept.clear();
      const rows = await readPlaceTimes(this.#database, [...missing.values()]);
      for (const [i, name] of [...missing.keys()].entries()) {
        const { count = 0, low = null, high = null } = rows[i] ?? {};
        const range = count < minSamples || low === null || high === null ? null : { low, high };
        this.#kept.set(name, { range, at: now });
      }
    }
    return keys.map((key) => this.#kept.get(nameOf(key))?.range ?? null);
  }
}

const nameOf = ({ accountId, lane }: PlaceKey) => `${lane ?? '*'} ${accountId}`;

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
