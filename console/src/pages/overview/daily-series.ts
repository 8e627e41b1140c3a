import type { Overview } from '@renderkit/contract/console/schemas/overview.ts';
import { roundCredits } from '@renderkit/contract/studio/credits.ts';

/** One series of a chart: a number for each day, and its color (a CSS variable). */
export type Series = { name: string; values: readonly number[]; color: string };

/** Each of the largest spenders has a color; the other keys are one series. */
const keyColors = ['--rk-c1', '--rk-c2', '--rk-c3', '--rk-c4', '--rk-c5'];

/** Spend by key, the largest spender first. */
export function spendSeries(spend: Overview['spend']): Series[] {
  const sorted = spend
    .map(({ name, credits }) => ({ name, values: credits, total: sum(credits) }))
    .sort((a, b) => b.total - a.total);
  const series = sorted
    .slice(0, keyColors.length)
    .map(({ name, values }, index) => ({ name, values, color: keyColors[index] ?? '' }));
  const others = sorted.slice(keyColors.length);
  if (others.length === 0) return series;
  const values = (others[0]?.values ?? []).map((_, day) => sum(others.map((one) => one.values[day] ?? 0)));
  return [...series, { name: 'Other keys', values, color: '--rk-idle' }];
}

/** Generations by their outcome. An outcome that none had is left out, except success. */
export function outcomeSeries(outcomes: Overview['outcomes']): Series[] {
  const all: Series[] = [
    { name: 'Succeeded', values: outcomes.succeeded, color: '--rk-good' },
    { name: 'Failed', values: outcomes.failed, color: '--rk-bad' },
    { name: 'Canceled', values: outcomes.canceled, color: '--rk-idle' },
    { name: 'Not finished', values: outcomes.open, color: '--rk-run' },
  ];
  return all.filter(({ values }, index) => index === 0 || sum(values) > 0);
}

/** Each series on top of those before it, as bars are drawn. */
export function stacked(series: readonly Series[]): number[][] {
  let below: readonly number[] = [];
  return series.map(({ values }) => {
    const top = values.map((value, day) => roundCredits(value + (below[day] ?? 0)));
    below = top;
    return top;
  });
}

/** The sum, rounded to 1/1000 credit, since sums of floats drift. */
export function sum(values: readonly number[]): number {
  return roundCredits(values.reduce((total, value) => total + value, 0));
}

/** `Nov 21` of a UTC day. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}
