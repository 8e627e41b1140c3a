/** 1, 2, 5, 10, 20, 50 …: axes of credits and counts have whole steps. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();
/** Steps between the labeled days. */
const daySteps = [1, 2, 7, 14, 30];

/**
 * Returns the values of the lines of a vertical axis from 0 to `max`: whole, evenly spaced, and at most `maxTicks`
 * above 0.
 */
export function valueTicks(max: number, maxTicks: number): number[] {
  const step = wholeSteps.find((one) => max / one <= maxTicks) ?? max;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, n) => n * step);
}

/**
 * Returns the indexes of the labeled days, when there is room for `maxTicks` labels. Always includes the newest day.
 */
export function dayTicks(days: number, maxTicks: number): number[] {
  const step = daySteps.find((one) => days / one <= maxTicks) ?? days;
  const ticks: number[] = [];
  for (let day = days - 1; day >= 0; day -= step) ticks.unshift(day);
  return ticks;
}
