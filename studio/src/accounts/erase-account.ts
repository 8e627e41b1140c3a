import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type BlobStorage, folderOf } from '../storage/blob-storage.ts';
import { accountsToErase, eraseRows, mediaOf } from './erase-store.ts';

const accountsPerRound = 10;

/**
 * Erases the texts and media of accounts that were deleted and have nothing running any more. What stays is the
 * ledger, without a name. Returns how many were erased.
 */
export async function eraseDeletedAccounts(database: Database, storage: BlobStorage): Promise<number> {
  const accounts = await accountsToErase(database, accountsPerRound);
  for (const account of accounts) {
    // Files first: rows that are gone would leave nobody who knows of them.
    for (const key of await mediaOf(database, account)) await storage.removeFolder(folderOf(key));
    await eraseRows(database, account);
  }
  return accounts.length;
}
