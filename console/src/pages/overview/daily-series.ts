import type { Overview } from '@renderkit/contract/console/schemas/overview.ts';

/** A line of a chart: one number for each day, and the colour it is drawn in (a CSS variable). */
export type Series = { name: string; values: readonly number[]; colour: string };

/** Keys that have a colour of their own; what others spent is drawn together. */
const keyColours = ['--rk-c1', '--rk-c2', '--rk-c3', '--rk-c4', '--rk-c5'];

/** Spend by key, the largest spender first. */
export function spendSeries(spend: Overview['spend']): Series[] {
  const sorted = spend
    .map(({ name, credits }) => ({ name, values: credits, total: sum(credits) }))
    .sort((a, b) => b.total - a.total);
  const series = sorted
    .slice(0, keyColours.length)
    .map(({ name, values }, place) => ({ name, values, colour: keyColours[place] ?? '' }));
  const others = sorted.slice(keyColours.length);
  if (others.length === 0) return series;
  const values = (others[0]?.values ?? []).map((_, day) => sum(others.map((one) => one.values[day] ?? 0)));
  return [...series, { name: 'Other keys', values, colour: '--rk-idle' }];
}

/** Generations by what became of them; outcomes that none had are left out, but for success. */
export function outcomeSeries(outcomes: Overview['outcomes']): Series[] {
  const all: Series[] = [
    { name: 'Succeeded', values: outcomes.succeeded, colour: '--rk-good' },
    { name: 'Failed', values: outcomes.failed, colour: '--rk-bad' },
    { name: 'Canceled', values: outcomes.canceled, colour: '--rk-idle' },
    { name: 'Not finished', values: outcomes.open, colour: '--rk-run' },
  ];
  return all.filter(({ values }, place) => place === 0 || sum(values) > 0);
}

/** Each series on top of those before it, as bars are drawn. */
export function stacked(series: readonly Series[]): number[][] {
  let below: readonly number[] = [];
  return series.map(({ values }) => {
    const top = values.map((value, day) => round(value + (below[day] ?? 0)));
    below = top;
    return top;
  });
}

/** To the thousandth, which is the smallest part of a credit: sums of floats drift. */
export function sum(values: readonly number[]): number {
  return round(values.reduce((total, value) => total + value, 0));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** `Nov 21` of a UTC day. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}
