import {
  maxKeyLifetimeDays,
  maxKeyNameCharacters,
  maxKeyRateLimitPerMinute,
} from '@renderkit/contract/console/limits.ts';
import { type Scope, scopes as allScopes } from '@renderkit/contract/v1/scopes.ts';
import type { FieldError } from '../../problems/api-problem.ts';

/** Returns the errors in those key settings that are given. Field names are those of the console's API. */
export function validateKey(wanted: {
  name?: string | undefined;
  scopes?: readonly Scope[] | undefined;
  dailyBudgetMillicredits?: number | null | undefined;
  rateLimitPerMinute?: number | undefined;
  confirmAboveMillicredits?: number | null | undefined;
  expiresInDays?: number | null | undefined;
}): FieldError[] {
  const errors: FieldError[] = [];
  const check = (fine: boolean, field: string, message: string) => {
    if (!fine) errors.push({ field, message });
  };
  const isWhole = (value: number, min: number, max: number) =>
    Number.isSafeInteger(value) && value >= min && value <= max;
  const { name = '-' } = wanted;
  check(
    // oxlint-disable-next-line no-control-regex -- these are what a name must not hold
    /^[^\u0000-\u001f\u007f]+$/u.test(name) && [...name].length <= maxKeyNameCharacters,
    'name',
    `must be 1 to ${maxKeyNameCharacters} characters.`,
  );
  const unknown = wanted.scopes?.find((scope) => !allScopes.includes(scope));
  check(unknown === undefined, 'scopes', `must be some of ${allScopes.join(', ')}.`);
  check(wanted.scopes === undefined || wanted.scopes.length > 0, 'scopes', 'must name one scope at least.');
  check(
    isWhole(wanted.dailyBudgetMillicredits ?? 0, 0, Number.MAX_SAFE_INTEGER),
    'daily_budget',
    'must be 0 or more credits, in thousandths at the finest.',
  );
  check(
    isWhole(wanted.rateLimitPerMinute ?? 1, 1, maxKeyRateLimitPerMinute),
    'rate_limit',
    `must be a whole number from 1 to ${maxKeyRateLimitPerMinute}.`,
  );
  check(
    isWhole(wanted.confirmAboveMillicredits ?? 0, 0, Number.MAX_SAFE_INTEGER),
    'confirm_above',
    'must be 0 or more credits, in thousandths at the finest.',
  );
  check(
    isWhole(wanted.expiresInDays ?? 1, 1, maxKeyLifetimeDays),
    'expires_in_days',
    `must be a whole number from 1 to ${maxKeyLifetimeDays}.`,
  );
  return errors;
}
