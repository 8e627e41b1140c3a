import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../audit/actor.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { noSuchKey } from './list-keys.ts';
import { lockAccount, markAllRevoked, markRevoked, notifyRevoked, selectKey } from './store.ts';

/**
 * The channel that announces the ids of revoked keys, so that their open long polls end at once.
 * `service/src/generations/signals.ts` listens to it.
 */
export const revokedKeysChannel = 'keys_revoked';

/**
 * Revokes a key permanently. When this returns, no process accepts the key any more, and everything that it had
 * accepted is visible. A second call changes nothing. `details` goes into the audit. `cancelQueuedOfKey` in
 * `service/src/generations/cancel/cancel-queued.ts` cancels what the key has queued, if the console asks for it.
 * @throws ApiProblem `not_found`
 */
export async function revokeKey(
  database: Database,
  keyId: string,
  asker: Asker,
  details: Record<string, string> = {},
): Promise<void> {
  await database.transaction(async (transaction) => {
    const found = await selectKey(transaction, keyId, asker);
    if (found === undefined) throw noSuchKey();
    await lockAccount(transaction, found.account_id);
    const key = await selectKey(transaction, keyId, { ...asker, lock: true });
    if (key === undefined || key.revoked_at !== null) return;
    await markRevoked(transaction, keyId);
    await writeAudit(transaction, asker.actor, {
      accountId: key.account_id,
      action: 'key.revoked',
      subjectId: keyId,
      subjectName: key.name,
      details,
    });
  });
  await notifyRevoked(database, revokedKeysChannel, [keyId]);
}

/** Revokes all keys of an account, including the console's own key, when the transaction commits. */
export async function revokeKeysOf(transaction: Transaction, accountId: string): Promise<void> {
  await notifyRevoked(transaction, revokedKeysChannel, await markAllRevoked(transaction, accountId));
}
