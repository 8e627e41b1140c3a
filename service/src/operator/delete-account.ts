import type { Database } from '@renderkit/server-kit/db/database.ts';
import { cancelQueued } from '../generations/cancel/cancel-queued.ts';
import { revokeKeysOf } from '../identity/keys/revoke-key.ts';
import { endSessionsOf } from '../identity/sessions/queries.ts';
import { deleteWebhooksOf } from '../webhooks/endpoints/delete-webhook.ts';
import { eraseDeletedAccounts } from './erase-accounts.ts';
import { markDeleted } from './store.ts';

/**
 * Deletes an account: its keys, sessions and webhook endpoints end, what it has queued is canceled, and its texts are
 * erased once what runs has settled. A second time, or for an unknown account, it changes nothing.
 */
export async function deleteAccount(database: Database, accountId: string): Promise<void> {
  // Together: an account may be connected anew at any moment, and nothing of what was before may be good again then.
  await database.transaction(async (transaction) => {
    await markDeleted(transaction, accountId);
    await revokeKeysOf(transaction, accountId);
    await endSessionsOf(transaction, accountId);
  });
  await cancelQueued(database, accountId);
  await deleteWebhooksOf(database, accountId);
  await eraseDeletedAccounts(database);
}
