import type { Result } from '../benchmark.ts';

/** Returns a row for a single measurement of each side: the goal is that ours is no more than theirs. */
export function plainRow(
  name: string,
  { ratio, ours, baseline }: { ratio: number; ours: string; baseline: string },
): Result {
  return {
    name,
    ratio: ratio.toFixed(2),
    cpuRatio: '–',
    ours,
    baseline,
    spread: '–',
    goal: '1 or less',
    met: ratio <= 1,
  };
}
