import type { Database } from '@renderkit/server-kit/db/database.ts';
import { deleteResetOf, deleteSessions } from './password-store.ts';
import { lockAccount, markDeleted } from './store.ts';

/**
 * Removes an account's name, password, sessions and reset link; the caller ends its grants (`deleteAccount` in
 * `studio/src/operator.ts`). `erase-account.ts` erases its texts and media when it has no unfinished render. The
 * ledger's rows stay, without a name.
 */
export async function deleteAccount(database: Database, account: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockAccount(transaction, account);
    await markDeleted(transaction, account);
    await deleteResetOf(transaction, account);
    await deleteSessions(transaction, account);
  });
}
