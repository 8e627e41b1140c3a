import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { BlobStorage } from './blob-storage.ts';
import { deleteOrphanFolder, deleteRemovedFolders, insertOrphanFolder, takeOrphanFolders } from './store.ts';

/** Whoever begins to fill a folder names it in a row within this: the largest file at the slowest rate and some. */
const fillMinutes = 60;
const foldersPerRound = 100;

/** Says that a folder is about to be filled: it is removed again unless `claimFolder` comes in time. */
export async function announceFolder(database: Database, folder: string): Promise<void> {
  await insertOrphanFolder(database, folder, fillMinutes);
}

/** Within the transaction that names the folder in a row. False where it came too late and the files are gone. */
export async function claimFolder(transaction: Transaction, folder: string): Promise<boolean> {
  return deleteOrphanFolder(transaction, folder);
}

/** Removes folders that no row names any more. One that cannot be removed now is left to `removeAbandonedFolders`. */
export async function removeOrphanFolders(
  database: Database,
  storage: BlobStorage,
  folders: string[],
): Promise<void> {
  for (const folder of folders) await storage.removeFolder(folder);
  if (folders.length > 0) await deleteRemovedFolders(database, folders);
}

/** Removes folders that were left behind by a process that died. Returns how many. */
export async function removeAbandonedFolders(database: Database, storage: BlobStorage): Promise<number> {
  const folders = await takeOrphanFolders(database, foldersPerRound);
  await removeOrphanFolders(database, storage, folders);
  return folders.length;
}
