import type { Transaction } from '@renderkit/server-kit/db/database.ts';

/**
 * Claims the folder in the transaction that names it in a row. Returns `false` when it is too late and the files are
 * gone (`fillMinutes` in `orphan-folders.ts`).
 */
export async function claimFolder(transaction: Transaction, folder: string): Promise<boolean> {
  const rowCount = await transaction.execute('delete from loose_folders where folder = $1 and not removing', [
    folder,
  ]);
  return rowCount === 1;
}
