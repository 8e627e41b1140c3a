/** Seconds: from the one to the other. */
export type Range = { low: number; high: number };

/** What earlier ones took, in seconds, and how many tell it; null where none does. */
export type TimesRow = { count: number; low: number | null; high: number | null };

/** Fewer tell nothing. */
const minSamples = 5;
const keptMs = 10_000;
const maxKept = 10_000;

/** How long things take, read for many keys at once and kept for a few seconds: many streams ask for the same few. */
export class RangeCache<Key> {
  readonly #nameOf: (key: Key) => string;
  readonly #read: (keys: readonly Key[]) => Promise<readonly TimesRow[]>;
  readonly #kept = new Map<string, { range: Range | null; at: number }>();

  /** `read` answers each key in its place. */
  constructor(nameOf: (key: Key) => string, read: (keys: readonly Key[]) => Promise<readonly TimesRow[]>) {
    this.#nameOf = nameOf;
    this.#read = read;
  }

  /** For each key the range; null where fewer than five tell it. */
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
