import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { Asker } from '../audit/actor.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { detailsOfKey } from './create-key.ts';
import { noSuchKey, statusOf } from './list-keys.ts';
import { type KeyRow, saveKey, selectKey } from './store.ts';
import { validateKey } from './validate-key.ts';

/** The settings of a key that may change. A setting that is not given stays as it is. */
export type KeyChanges = {
  name?: string | undefined;
  /** 0: nothing may be spent. Null: no budget. */
  dailyBudgetMillicredits?: number | null | undefined;
  /** Requests per minute. */
  rateLimitPerMinute?: number | undefined;
  /** Null: no confirmation is ever needed. */
  confirmAboveMillicredits?: number | null | undefined;
};

/**
 * Changes an active key. A budget below today's spending stops further creates until midnight and cancels nothing.
 * @throws ApiProblem `invalid_request`, `not_found`, `conflict` when the key is revoked or expired
 */
export async function updateKey(
  database: Database,
  keyId: string,
  changes: KeyChanges,
  asker: Asker,
): Promise<void> {
  const errors = validateKey(changes);
  if (errors.length > 0) throw new ApiProblem('invalid_request', { errors });
  await database.transaction(async (transaction) => {
    const before = await selectKey(transaction, keyId, { accountId: asker.accountId, lock: true });
    if (before === undefined) throw noSuchKey();
    const status = statusOf(before);
    if (status !== 'active')
      throw new ApiProblem('conflict', {
        detail: `The key is ${status}: only an active one can be changed.`,
      });
    const after = changed(before, changes);
    const details = differences(before, after);
    if (Object.keys(details).length === 0) return;
    await saveKey(transaction, after);
    await writeAudit(transaction, asker.actor, {
      accountId: before.account_id,
      action: 'key.updated',
      subjectId: keyId,
      subjectName: before.name,
      details,
    });
  });
}

function changed(before: KeyRow, changes: KeyChanges): KeyRow {
  const { dailyBudgetMillicredits: budget, confirmAboveMillicredits: confirm } = changes;
  return {
    ...before,
    name: changes.name ?? before.name,
    daily_budget_millicredits: budget === undefined ? before.daily_budget_millicredits : budget,
    rate_limit_per_minute: changes.rateLimitPerMinute ?? before.rate_limit_per_minute,
    confirm_above_millicredits: confirm === undefined ? before.confirm_above_millicredits : confirm,
  };
}

function differences(before: KeyRow, after: KeyRow): Record<string, string> {
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...detailsOfKey({
      ...(after.daily_budget_millicredits !== before.daily_budget_millicredits && {
        dailyBudgetMillicredits: after.daily_budget_millicredits,
      }),
      ...(after.rate_limit_per_minute !== before.rate_limit_per_minute && {
        rateLimitPerMinute: after.rate_limit_per_minute,
      }),
      ...(after.confirm_above_millicredits !== before.confirm_above_millicredits && {
        confirmAboveMillicredits: after.confirm_above_millicredits,
      }),
    }),
  };
}
