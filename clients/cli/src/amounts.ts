import { UsageError } from './cli-error.ts';

/** Parses a typed number that is 0 or more, such as credits. @throws UsageError */
export function numberOf(text: string, name: string): number {
  if (!/^\d+(\.\d+)?$/.test(text))
    throw new UsageError(`--${name} is a number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

/** Adds credits in thousandths, so that no sum ends in …0004. */
export function sumCredits(amounts: readonly number[]): number {
  return amounts.reduce((all, credits) => all + Math.round(credits * 1_000), 0) / 1_000;
}

/** Parses a whole number, 1 or more. @throws UsageError */
export function countOf(text: string, name: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new UsageError(`--${name} is a whole number from 1 on, not ${JSON.stringify(text)}.`);
  return Number(text);
}

const unitMs: Record<string, number> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `90`, `90s`, `10m`, `2h` or `7d` and returns milliseconds. @throws UsageError */
export function millisecondsOf(text: string, name: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd]?)$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`--${name} is a time like 90s, 10m or 2h, not ${JSON.stringify(text)}.`);
  return Number(count) * (unitMs[unit] ?? 0);
}

/** Parses `KEY=VALUE` arguments. @throws UsageError */
export function pairsOf(texts: readonly string[], name: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`--${name} is KEY=VALUE, not ${JSON.stringify(text)}.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** Parses the value of a model's option. Numbers and switches become numbers and booleans. */
export function optionValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
