import { isObject } from './backend-answer.ts';
import type { JsonValue, MeasuredUnit, Route } from './route.ts';

/**
 * The units that an engine counts in its answers, by their names in a route's `cost.measured`.
 * `manifests/src/check-route.ts` refuses other units in a manifest.
 */
export const measuredUnits = {
  replicate: ['per_second'],
  fal: ['per_second'],
  'openai-images': ['per_million_text_tokens', 'per_million_image_tokens', 'per_million_output_tokens'],
} as const satisfies Readonly<Record<string, readonly MeasuredUnit[]>>;

/** Larger counts are ignored as wrong: a year of seconds, 10^9 tokens. */
const maxCount = { seconds: 31_536_000, tokens: 1e9 };

/** Returns the number at a path of keys in an answer; `undefined` where there is no valid count. */
export function countAt(value: JsonValue | undefined, ...keys: string[]): number | undefined {
  let found = value;
  for (const key of keys) found = isObject(found) ? found[key] : undefined;
  return typeof found === 'number' && found >= 0 ? found : undefined;
}

/**
 * Returns the cost of a job by the provider's own count, in the route's currency, as an object to spread into a result.
 * Empty where the route has no measured price, or where a unit with a price was not counted. The reserved amount is the
 * cost then. That amount is computed by `studio/sql/functions/route_cost.sql`; `settle_cost.sql` beside it books what
 * the job cost.
 */
export function measuredCost(
  { cost }: Route,
  counts: Readonly<Partial<Record<MeasuredUnit, number | undefined>>>,
): { cost?: number } {
  const prices = Object.entries(cost?.measured ?? {}) as [MeasuredUnit, number][];
  if (prices.length === 0) return {};
  let sum = 0;
  for (const [unit, price] of prices) {
    const count = counts[unit];
    const max = unit === 'per_second' ? maxCount.seconds : maxCount.tokens;
    if (count === undefined || count > max) return {};
    sum += unit === 'per_second' ? count * price : (count / 1_000_000) * price;
  }
  // Rounded to a millionth, like amounts in the ledger.
  return { cost: Math.round(sum * 1e6) / 1e6 };
}
