import type { Database } from '@renderkit/server-kit/db/database.ts';
import { readTaken, type TakenKey } from './store.ts';

/** Seconds: a fifth of the last ones took less than the one, a fifth more than the other. */
export type Range = { low: number; high: number };

/** Fewer tell nothing. */
const minSamples = 5;
const keptMs = 10_000;
const maxKept = 10_000;

/** How long renders took, kept for a few seconds: many streams ask for the same few models. */
export class TakenTimes {
  readonly #database: Database;
  readonly #kept = new Map<string, { range: Range | undefined; at: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** For each key the range, or undefined where fewer than five such renders have ended. */
  async read(keys: readonly TakenKey[]): Promise<(Range | undefined)[]> {
    const now = performance.now();
    const missing = new Map<string, TakenKey>();
    for (const key of keys) {
      const kept = this.#kept.get(nameOf(key));
      if (kept === undefined || now - kept.at > keptMs) missing.set(nameOf(key), key);
    }
    if (missing.size > 0) {
      if (this.#kept.size > maxKept) this.#kept.clear();
      const rows = await readTaken(this.#database, [...missing.values()]);
      for (const [i, name] of [...missing.keys()].entries()) {
        const { count = 0, low = null, high = null } = rows[i] ?? {};
        const range = count < minSamples || low === null || high === null ? undefined : { low, high };
        this.#kept.set(name, { range, at: now });
      }
    }
    return keys.map((key) => this.#kept.get(nameOf(key))?.range);
  }
}

const nameOf = ({ model, kind, outputs }: TakenKey) => `${kind} ${outputs} ${model}`;

/** When a render starts that is at this position, where so many run side by side; undefined where nobody knows. */
export function startsIn(
  position: number | null,
  running: number,
  taken: Range | undefined,
): Range | undefined {
  if (taken === undefined || position === null || running === 0) return undefined;
  return {
    low: Math.floor((position - 1) / running) * taken.low,
    high: Math.ceil(position / running) * taken.high,
  };
}

/** When a render ends that has run for so long; undefined where it takes longer than those before it did. */
export function finishesIn(runSeconds: number, taken: Range | undefined): Range | undefined {
  if (taken === undefined || runSeconds > taken.high) return undefined;
  return { low: Math.max(0, taken.low - runSeconds), high: taken.high - runSeconds };
}
