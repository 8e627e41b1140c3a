import type { Database } from '@renderkit/server-kit/database.ts';
import { cancelQueued } from '../generations/cancel-queued/cancel-queued.ts';
import { revokeKeysOf } from '../keys/revoke-key.ts';
import { eraseAccount, eraseGenerations, type ErasureCursor, markDeleted, selectErasable } from './store.ts';

/**
 * Deletes an account: its keys end, what it has queued is canceled, and its texts are erased once what runs has
 * settled. A second time, or for an unknown account, it changes nothing.
 */
export async function deleteAccount(database: Database, accountId: string): Promise<void> {
  await markDeleted(database, accountId);
  await revokeKeysOf(database, accountId);
  await cancelQueued(database, accountId);
  await eraseDeletedAccounts(database);
}

/** Erases the texts of deleted accounts that have nothing under way any more. How many were erased. */
export async function eraseDeletedAccounts(database: Database): Promise<number> {
  const accountIds = await selectErasable(database);
  for (const accountId of accountIds) {
    let cursor: ErasureCursor | undefined = { created_at: '-infinity', id: '' };
    while (cursor !== undefined) cursor = await eraseGenerations(database, accountId, cursor);
    await eraseAccount(database, accountId);
  }
  return accountIds.length;
}
