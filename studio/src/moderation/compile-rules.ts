import type { RuleList } from './parse-rules.ts';
import { fold, spell } from './readings.ts';

type CompiledRule = { reason: string; matches: (readings: string[]) => boolean };

export type CompiledRules = {
  rules: CompiledRule[];
  uploadRules: (CompiledRule & { sha256: Set<string> })[];
  slow: { seconds: number; matches: (readings: string[]) => boolean }[];
};

/** Compiles rules for a comparison with the readings of a text (`readingsOf`). */
export function compileRules({ rules, uploads }: RuleList): CompiledRules {
  return {
    rules: rules.map(({ reason, phrases }) => ({ reason, matches: matcherOf(phrases) })),
    uploadRules: uploads.rules.map(({ reason, phrases, sha256 }) => ({
      reason,
      matches: matcherOf(phrases),
      sha256: new Set(sha256),
    })),
    slow: uploads.slow.map(({ phrases, seconds }) => ({ seconds, matches: matcherOf(phrases) })),
  };
}

function matcherOf(phrases: string[]): (readings: string[]) => boolean {
  if (phrases.length === 0) return () => false;
  const expression = new RegExp(
    `(?<= )(?:${phrases.map((phrase) => spell(fold(phrase)).trim()).join('|')})(?= )`,
  );
  return (readings) => readings.some((words) => expression.test(words));
}
