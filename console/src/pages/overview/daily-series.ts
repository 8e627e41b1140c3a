import type { Overview } from '@renderkit/contract/console/schemas/overview.ts';
import { roundCredits } from '@renderkit/contract/studio/credits.ts';

/** One series of a chart: a number for each day, and its color (a CSS variable). */
export type Series = { name: string; values: readonly number[]; color: string };

/** Colors of the largest spenders. All other keys form one series. */
const keyColors = ['--rk-c1', '--rk-c2', '--rk-c3', '--rk-c4', '--rk-c5'];

/** Returns the spend by key, largest first. */
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

/** Returns the generations by outcome. Leaves out outcomes without generations, except success. */
export function outcomeSeries(outcomes: Overview['outcomes']): Series[] {
  const all: Series[] = [
    { name: 'Succeeded', values: outcomes.succeeded, color: '--rk-good' },
    { name: 'Failed', values: outcomes.failed, color: '--rk-bad' },
    { name: 'Canceled', values: outcomes.canceled, color: '--rk-idle' },
    { name: 'Not finished', values: outcomes.open, color: '--rk-run' },
  ];
  return all.filter(({ values }, index) => index === 0 || sum(values) > 0);
}

/** Returns each series added to those before it, as stacked bars are drawn. */
export function stacked(series: readonly Series[]): number[][] {
  let below: readonly number[] = [];
  return series.map(({ values }) => {
    const top = values.map((value, day) => roundCredits(value + (below[day] ?? 0)));
    below = top;
    return top;
  });
}

/** Returns the sum, rounded to 1/1000 credit, because sums of floats are inexact. */
export function sum(values: readonly number[]): number {
  return roundCredits(values.reduce((total, value) => total + value, 0));
}

/** Formats a UTC day: `Nov 21`. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}
