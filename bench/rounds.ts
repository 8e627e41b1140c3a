import { median } from './statistics.ts';

/** The result of one round. */
export type Sample = {
  /** A rate, or a time. */
  value: number;
  /** CPU seconds of the service's process, or the baseline's, per 1,000 requests. */
  cpuSeconds?: number | undefined;
  /** CPU seconds of other processes that took part, by their names, per 1,000 requests. */
  besideCpuSeconds?: Record<string, number>;
};

export type Comparison = {
  /** Median over the rounds of ours ÷ baseline. */
  ratio: number;
  smallest: number;
  largest: number;
  /** Medians. */
  ours: number;
  baseline: number;
  cpuSeconds: number | undefined;
  besideCpuSeconds: Record<string, number>;
  baselineCpuSeconds: number | undefined;
  /** Median over the rounds of the service's processor time ÷ the baseline's. */
  cpuRatio: number | undefined;
};

/**
 * Measures ours and the baseline in turn, A B A B, so that other work of the machine affects both, and compares within
 * each round.
 */
export async function compare(options: {
  rounds: number;
  ours: (round: number) => Promise<Sample>;
  baseline: (round: number) => Promise<Sample>;
  onRound?: (round: number, ours: Sample, baseline: Sample) => void;
}): Promise<Comparison> {
  const pairs: { ours: Sample; baseline: Sample }[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const ours = await options.ours(round);
    const baseline = await options.baseline(round);
    pairs.push({ ours, baseline });
    options.onRound?.(round, ours, baseline);
  }
  return summarise(pairs);
}

export function summarise(pairs: readonly { ours: Sample; baseline: Sample }[]): Comparison {
  const ratios = pairs.map(({ ours, baseline }) => ours.value / baseline.value);
  const besides = pairs.map(({ ours }) => ours.besideCpuSeconds ?? {});
  return {
    ratio: median(ratios),
    smallest: Math.min(...ratios),
    largest: Math.max(...ratios),
    ours: median(pairs.map(({ ours }) => ours.value)),
    baseline: median(pairs.map(({ baseline }) => baseline.value)),
    cpuSeconds: medianOfKnown(pairs.map(({ ours }) => ours.cpuSeconds)),
    besideCpuSeconds: Object.fromEntries(
      Object.keys(besides[0] ?? {}).map((name) => [name, median(besides.map((beside) => beside[name] ?? 0))]),
    ),
    baselineCpuSeconds: medianOfKnown(pairs.map(({ baseline }) => baseline.cpuSeconds)),
    cpuRatio: medianOfKnown(
      pairs.map(({ ours, baseline }) =>
        ours.cpuSeconds === undefined || baseline.cpuSeconds === undefined
          ? undefined
          : ours.cpuSeconds / baseline.cpuSeconds,
      ),
    ),
  };
}

function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}
