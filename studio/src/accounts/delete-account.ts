import type { Database } from '@renderkit/server-kit/db/database.ts';
import { deleteResetOf, deleteSessions } from './password-store.ts';
import { lockAccount, markDeleted } from './store.ts';

/**
 * Takes an account's name and its ways in; the caller ends its grants. Texts and media are erased as soon as nothing of it is
 * rendering (`erase-account.ts`). The ledger's rows stay, without a name.
 */
export async function deleteAccount(database: Database, account: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockAccount(transaction, account);
    await markDeleted(transaction, account);
    await deleteResetOf(transaction, account);
    await deleteSessions(transaction, account);
  });
}
