/** 1, 2, 5, 10, 20, 50 …: credits and counts are read in whole steps. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();
/** Steps of the days that are named. */
const daySteps = [1, 2, 7, 14, 30];

/** Values at which an upright axis from 0 to `max` has a line: whole, even, and at most `maxTicks` above 0. */
export function valueTicks(max: number, maxTicks: number): number[] {
  const step = wholeSteps.find((one) => max / one <= maxTicks) ?? max;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, n) => n * step);
}

/** Indexes of the days that have a name below them, when there is room for `maxTicks` names. The newest day is one of them. */
export function dayTicks(days: number, maxTicks: number): number[] {
  const step = daySteps.find((one) => days / one <= maxTicks) ?? days;
  const ticks: number[] = [];
  for (let day = days - 1; day >= 0; day -= step) ticks.unshift(day);
  return ticks;
}
