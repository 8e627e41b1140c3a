import type { Result } from './benchmark.ts';
import type { Comparison, Sample } from './rounds.ts';

/** Returns the row of a comparison of rates; the goal is this ratio or more. */
export function rateResult(name: string, comparison: Comparison, atLeast: number): Result {
  return {
    name,
    ratio: comparison.ratio.toFixed(2),
    cpuRatio: comparison.cpuRatio?.toFixed(2) ?? '–',
    ours: rateSample({ ...comparison, value: comparison.ours }),
    baseline: rateSample({ value: comparison.baseline, cpuSeconds: comparison.baselineCpuSeconds }),
    spread: spread(comparison),
    goal: `${atLeast} or more`,
    met: comparison.ratio >= atLeast,
  };
}

/** Returns the row of a comparison of times in milliseconds; the goal is this ratio or less. */
export function timeResult(name: string, comparison: Comparison, atMost: number): Result {
  return {
    name,
    ratio: comparison.ratio.toFixed(2),
    cpuRatio: '–',
    ours: milliseconds(comparison.ours),
    baseline: milliseconds(comparison.baseline),
    spread: spread(comparison),
    goal: `${atMost} or less`,
    met: comparison.ratio <= atMost,
  };
}

/** Returns the row of a figure that is compared with a bound, not with a baseline. */
export function boundResult(
  result: Pick<Result, 'name' | 'ours' | 'goal' | 'met'> & { spread?: string },
): Result {
  return { ratio: '–', cpuRatio: '–', baseline: '–', spread: '–', ...result };
}

/** Returns the text of a rate, with its cost if that is known. */
export function rateSample({ value, cpuSeconds, besideCpuSeconds = {} }: Sample): string {
  if (cpuSeconds === undefined) return rate(value);
  const beside = Object.entries(besideCpuSeconds).map(([name, seconds]) => `${name} ${seconds.toFixed(3)}`);
  const others = beside.length === 0 ? '' : ` (${beside.join(', ')})`;
  return `${rate(value)}, ${cpuSeconds.toFixed(3)} CPU s per 1,000${others}`;
}

export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en-GB')}/s`;
}

export function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(2) : time.toFixed(1)} ms`;
}

function spread({ smallest, largest }: Comparison): string {
  return `${smallest.toFixed(2)}–${largest.toFixed(2)}`;
}
