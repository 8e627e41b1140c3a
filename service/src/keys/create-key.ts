import { maxActiveKeys, rateLimitPerMinuteDefault } from '@renderkit/contract/v1/limits.ts';
import { type Scope, scopes as allScopes } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';
import { newKeyText } from './key-text.ts';
import { insertKey } from './store.ts';

export type NewKey = {
  accountId: string;
  name: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  /** 0: nothing may be spent. Null or left out: no budget. */
  dailyBudgetMillicredits?: number | null;
  /** Requests per minute. */
  rateLimitPerMinute?: number;
  /** Left out: for ever. */
  expiresInDays?: number | null;
};

const maxNameCharacters = 100;
const maxRateLimitPerMinute = 1_000_000;
const maxLifetimeDays = 36_500;

/**
 * Makes an API key. Its text is in the answer and nowhere else, ever.
 * @throws ApiProblem `invalid_request`, `not_found` for an unknown account, `conflict` past 50 active keys
 */
export async function createKey(database: Database, wanted: NewKey): Promise<{ id: string; key: string }> {
  const errors = errorsOf(wanted);
  if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });
  const id = newId('key_');
  const { key, proof } = newKeyText();
  const outcome = await insertKey(
    database,
    {
      id,
      accountId: wanted.accountId,
      ...proof,
      name: wanted.name,
      scopes: wanted.scopes ?? allScopes,
      dailyBudgetMillicredits: wanted.dailyBudgetMillicredits ?? null,
      rateLimitPerMinute: wanted.rateLimitPerMinute ?? rateLimitPerMinuteDefault,
      expiresInDays: wanted.expiresInDays ?? null,
    },
    maxActiveKeys,
  );
  switch (outcome) {
    case 'inserted':
      return { id, key };
    case 'no_account':
      throw new ApiProblem('not_found', { detail: 'There is no such account.' });
    case 'too_many':
      throw new ApiProblem('conflict', {
        detail: `The account has ${maxActiveKeys} active keys already: revoke one first.`,
      });
    default:
      return outcome satisfies never;
  }
}

function errorsOf(wanted: NewKey): FieldError[] {
  const errors: FieldError[] = [];
  const check = (fine: boolean, field: string, message: string) => {
    if (!fine) errors.push({ field, message });
  };
  const isWhole = (value: number, min: number, max: number) =>
    Number.isSafeInteger(value) && value >= min && value <= max;
  check(
    // oxlint-disable-next-line no-control-regex -- these are what a name must not hold
    /^[^\u0000-\u001f\u007f]+$/u.test(wanted.name) && [...wanted.name].length <= maxNameCharacters,
    'name',
    `must be 1 to ${maxNameCharacters} characters.`,
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
    isWhole(wanted.rateLimitPerMinute ?? 1, 1, maxRateLimitPerMinute),
    'rate_limit',
    `must be a whole number from 1 to ${maxRateLimitPerMinute}.`,
  );
  check(
    isWhole(wanted.expiresInDays ?? 1, 1, maxLifetimeDays),
    'expires_in_days',
    `must be a whole number from 1 to ${maxLifetimeDays}.`,
  );
  return errors;
}
