/** A range of seconds, from `low` to `high`. */
export type Range = { low: number; high: number };

/** How long earlier items took, in seconds, and how many of them were measured; `null` when none was. */
export type TimesRow = { count: number; low: number | null; high: number | null };

/** Fewer samples give no range. */
const minSamples = 5;
const keptMs = 10_000;
const maxKept = 10_000;

/**
 * Caches how long things take, for a few seconds, and reads many keys at once. `studio/src/progress/store.ts` and
 * `service/src/generations/live/store.ts` measure the times. Many streams ask for the same few keys.
 */
export class RangeCache<Key> {
  readonly #nameOf: (key: Key) => string;
  readonly #read: (keys: readonly Key[]) => Promise<readonly TimesRow[]>;
  readonly #kept = new Map<string, { range: Range | null; at: number }>();

  /** @param read returns the rows in the order of the keys */
  constructor(nameOf: (key: Key) => string, read: (keys: readonly Key[]) => Promise<readonly TimesRow[]>) {
    this.#nameOf = nameOf;
    this.#read = read;
  }

  /** Returns the range for each key; `null` when there are fewer than five samples. */
  async read(keys: readonly Key[]): Promise<(Range | null)[]> {
    const now = performance.now();
    const missing = new Map<string, Key>();
    const found = new Map<string, Range | null>();
    for (const key of keys) {
      const name = this.#nameOf(key);
      const kept = this.#kept.get(name);
      if (kept === undefined || now - kept.at > keptMs) missing.set(name, key);
      else found.set(name, kept.range);
    }
    if (missing.size > 0) {
      if (this.#kept.size > maxKept) this.#kept.clear();
      const rows = await this.#read([...missing.values()]);
      for (const [i, name] of [...missing.keys()].entries()) {
        const range = rangeOf(rows[i]);
        found.set(name, range);
        this.#kept.set(name, { range, at: now });
      }
    }
    return keys.map((key) => found.get(this.#nameOf(key)) ?? null);
  }
}

function rangeOf(row: TimesRow | undefined): Range | null {
  const { count = 0, low = null, high = null } = row ?? {};
  return count < minSamples || low === null || high === null ? null : { low, high };
}
