import type { Sample } from './sample.ts';

/** How much the last third of a run may exceed the third before. */
const more = { megabytes: 10, handles: 10, ofBytes: 1.15 };
/** Share of dead rows in a table. By default PostgreSQL vacuums once a fifth is dead. */
const maxDeadShare = 0.25;
/**
 * A table that keeps its rows grows with them. A table with fewer rows than this share of the generations holds work
 * that comes and goes.
 */
const workShare = 0.05;
/** Smaller tables are a few pages, and one page more is no growth. */
const minBytes = 1_000_000;

export type Comparison = { name: string; earlier: string; later: string; flat: boolean };

/**
 * Compares the last third of the samples with the third before: memory, file handles, the size of tables whose rows
 * come and go, bytes per generation of tables that grow, dead rows, and what waits.
 * @throws if there are fewer than three samples
 */
export function compare(samples: readonly Sample[]): Comparison[] {
  const third = Math.floor(samples.length / 3);
  const [earlier, later] = [samples.slice(third, -third), samples.slice(-third)];
  const [first, last] = [samples[third], samples.at(-1)];
  if (third === 0 || first === undefined || last === undefined)
    throw new Error('three samples are the fewest to compare');
  const most = (of: readonly Sample[], value: (sample: Sample) => number) => Math.max(...of.map(value));
  const compared = (name: string, value: (sample: Sample) => number, limit: (before: number) => number) => {
    const [before, after] = [most(earlier, value), most(later, value)];
    return { name, earlier: show(before), later: show(after), flat: after <= limit(before) };
  };
  return [
    compared(
      'memory of the service, MB',
      (one) => one.megabytes,
      (before) => before + more.megabytes,
    ),
    compared(
      'file handles',
      (one) => one.handles,
      (before) => before + more.handles,
    ),
    compared(
      'generations that have not ended',
      (one) => one.open,
      (before) => before * 2 + 1_000,
    ),
    compared(
      'deliveries that wait',
      (one) => one.queued,
      (before) => before * 2 + 1_000,
    ),
    ...last.tables
      .filter(({ bytes }) => bytes >= minBytes)
      .flatMap(({ name, live }) => {
        const at = (sample: Sample) => sample.tables.find((table) => table.name === name);
        const bytes = (sample: Sample) => at(sample)?.bytes ?? 0;
        if (live < last.made * workShare)
          return [
            compared(
              `${name}: kB`,
              (one) => bytes(one) / 1_000,
              (before) => before * more.ofBytes,
            ),
          ];
        const perMade = (sample: Sample) => bytes(sample) / sample.made;
        const share = (sample: Sample) => (at(sample)?.dead ?? 0) / Math.max(1, at(sample)?.live ?? 1);
        return [
          compared(`${name}: bytes for each generation`, perMade, (before) => before * more.ofBytes),
          compared(`${name}: dead rows for each live one`, share, () => maxDeadShare),
        ];
      }),
  ];
}

function show(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}
