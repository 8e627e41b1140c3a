import type { Result } from '../benchmark.ts';
import { rateSample } from '../present.ts';
import { type Sample, summarise } from '../rounds.ts';

export type Pair = { ours: Sample; baseline: Sample };

/**
 * Measures both sides in one round. The sides take turns in being first, so that an advantage of the second place is
 * the same for both.
 */
export async function pairOf(round: number, measure: (side: keyof Pair) => Promise<Sample>): Promise<Pair> {
  if (round % 2 === 1) return { ours: await measure('ours'), baseline: await measure('baseline') };
  const baseline = await measure('baseline');
  return { ours: await measure('ours'), baseline };
}

/** Returns a row that shows, for both sides, what each of their processes used. */
export function rateRow(name: string, pairs: readonly Pair[]): Result {
  const found = summarise(pairs);
  const swapped = summarise(pairs.map(({ ours, baseline }) => ({ ours: baseline, baseline: ours })));
  return {
    name,
    ratio: found.ratio.toFixed(2),
    cpuRatio: found.cpuRatio?.toFixed(2) ?? '–',
    ours: rateSample({ ...found, value: found.ours }),
    baseline: rateSample({ ...swapped, value: swapped.ours }),
    spread: `${found.smallest.toFixed(2)}–${found.largest.toFixed(2)}`,
    goal: '1 or more',
    met: found.ratio >= 1,
  };
}
