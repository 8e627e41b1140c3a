import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import {
  confirmAboveDefault,
  maxActiveKeys,
  rateLimitPerMinuteDefault,
} from '@renderkit/contract/v1/limits.ts';
import { type Scope, scopes as allScopes } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { Actor } from '../audit/actor.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { newKeyText } from './key-text.ts';
import { insertKey } from './store.ts';
import { validateKey } from './validate-key.ts';

export type NewKey = {
  accountId: string;
  name: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  /** 0: nothing may be spent. Null or not given: no budget. Checked by `service/src/budgets/budget.ts`. */
  dailyBudgetMillicredits?: number | null;
  /** Requests per minute. */
  rateLimitPerMinute?: number;
  /**
   * The highest cost of one action that needs no confirmation by a person. Not given: 25 credits. Null: no confirmation
   * is ever needed. Clients ask, not the service: `clients/mcp/src/tools/purchase.ts`, `clients/cli/src/price.ts`.
   */
  confirmAboveMillicredits?: number | null;
  /** Not given or null: never expires. */
  expiresInDays?: number | null;
};

/**
 * Makes an API key. Only this answer contains the text of the key; it is never stored.
 * @throws ApiProblem `invalid_request`, `not_found` for an unknown account, `conflict` past 50 active keys
 */
export async function createKey(
  database: Database,
  wanted: NewKey,
  actor: Actor,
): Promise<{ id: string; key: string }> {
  const errors = validateKey(wanted);
  if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });
  const id = newId('key_');
  const { key, proof } = newKeyText();
  const record = {
    id,
    accountId: wanted.accountId,
    ...proof,
    name: wanted.name,
    scopes: wanted.scopes ?? allScopes,
    dailyBudgetMillicredits: wanted.dailyBudgetMillicredits ?? null,
    rateLimitPerMinute: wanted.rateLimitPerMinute ?? rateLimitPerMinuteDefault,
    confirmAboveMillicredits:
      wanted.confirmAboveMillicredits === undefined
        ? confirmAboveDefault * 1000
        : wanted.confirmAboveMillicredits,
    expiresInDays: wanted.expiresInDays ?? null,
  };
  const outcome = await database.transaction(async (transaction) => {
    const inserted = await insertKey(transaction, record, maxActiveKeys);
    if (inserted === 'inserted')
      await writeAudit(transaction, actor, {
        accountId: record.accountId,
        action: 'key.created',
        subjectId: id,
        subjectName: record.name,
        details: detailsOfKey(record),
      });
    return inserted;
  });
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

/** Returns the details for the audit of those key settings that are given. */
export function detailsOfKey(settings: {
  scopes?: readonly Scope[];
  dailyBudgetMillicredits?: number | null;
  rateLimitPerMinute?: number;
  confirmAboveMillicredits?: number | null;
  expiresInDays?: number | null;
}): Record<string, string> {
  const { scopes, dailyBudgetMillicredits: budget, rateLimitPerMinute: rate, expiresInDays: days } = settings;
  const { confirmAboveMillicredits: confirm } = settings;
  return {
    ...(scopes !== undefined && { scopes: scopes.join(', ') }),
    ...(budget !== undefined && { daily_budget: budget === null ? 'none' : String(creditsOf(budget)) }),
    ...(rate !== undefined && { rate_limit: String(rate) }),
    ...(confirm !== undefined && { confirm_above: confirm === null ? 'never' : String(creditsOf(confirm)) }),
    ...(days != null && { expires_in_days: String(days) }),
  };
}
