import { isObject } from './backend-answer.ts';
import type { JsonValue, MeasuredUnit, Route } from './route.ts';

/** What an engine counts of a job in its answers, by the names of a route's `cost.measured`. */
export const measuredUnits = {
  replicate: ['per_second'],
  fal: ['per_second'],
  'openai-images': ['per_million_text_tokens', 'per_million_image_tokens', 'per_million_output_tokens'],
} as const satisfies Readonly<Record<string, readonly MeasuredUnit[]>>;

/** Beyond these a count is nonsense: a year of seconds, a milliard of tokens. */
const maxCount = { seconds: 31_536_000, tokens: 1e9 };

/** A number at the end of some keys of an answer; undefined where there is none that could be a count. */
export function countAt(value: JsonValue | undefined, ...keys: string[]): number | undefined {
  let found = value;
  for (const key of keys) found = isObject(found) ? found[key] : undefined;
  return typeof found === 'number' && found >= 0 ? found : undefined;
}

/**
 * What a job cost by the provider's own count, in the route's currency, to be spread into a result. Empty where the route has
 * no price for what is counted, or where anything that has a price was not counted: then what was reserved is what it cost.
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
  // To a millionth, as the ledger has it.
  return { cost: Math.round(sum * 1e6) / 1e6 };
}
