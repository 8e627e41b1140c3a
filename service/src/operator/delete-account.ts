import type { Database } from '@renderkit/server-kit/db/database.ts';
import { cancelQueued } from '../generations/cancel/cancel-queued.ts';
import { revokeKeysOf } from '../identity/keys/revoke-key.ts';
import { endSessionsOf } from '../identity/sessions/queries.ts';
import { deleteWebhooksOf } from '../webhooks/endpoints/delete-webhook.ts';
import { eraseDeletedAccounts } from './erase-accounts.ts';
import { markDeleted } from './store.ts';

/**
 * Deletes an account. Its keys, sessions and webhook endpoints end, and its queued generations are canceled. Its texts
 * are erased after its running generations have settled. For an unknown or deleted account nothing changes. The studio
 * deletes its own account: `studio/src/accounts/delete-account.ts`.
 */
export async function deleteAccount(database: Database, accountId: string): Promise<void> {
  // In one transaction: somebody may connect the account again at any moment, and then no old key or session may be
  // valid.
  await database.transaction(async (transaction) => {
    await markDeleted(transaction, accountId);
    await revokeKeysOf(transaction, accountId);
    await endSessionsOf(transaction, accountId);
  });
  await cancelQueued(database, accountId);
  await deleteWebhooksOf(database, accountId);
  await eraseDeletedAccounts(database);
}
