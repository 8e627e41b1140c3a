import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { withSessionLock } from '@renderkit/server-kit/db/session-lock.ts';
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { claimFolder } from './queries.ts';
import {
  beginRemoval,
  deleteLooseFolders,
  deleteRemovedFolder,
  insertOrHoldFolder,
  insertOrphanFolder,
  isBeingRemoved,
  isFolderOfModel,
  isLoose,
  takeOrphanFolders,
} from './store.ts';

/**
 * A process that fills a folder writes the row that names it within this time: enough for the largest file at the
 * slowest rate.
 */
const fillMinutes = 60;
const foldersPerRound = 100;
/** An unavailable bucket is retried for some seconds. */
const removedWithinMs = 20_000;
const lookEveryMs = 100;

/** Announces that a folder will be filled. The folder is removed unless `claimFolder` is called in time. */
export async function announceFolder(database: Database, folder: string): Promise<void> {
  await insertOrphanFolder(database, folder, fillMinutes);
}

/**
 * Claims a folder of `holdFolder` in the transaction that names it in a version of a model. Another version may name
 * the same folder already. @throws Error when the folder is being removed
 */
export async function claimHeldFolder(transaction: Transaction, folder: string): Promise<void> {
  if (!(await claimFolder(transaction, folder)) && (await isLoose(transaction, folder)))
    throw new Error('the thumbnail was kept for an hour and is being removed: add the model again');
}

/**
 * Removes folders that belong to the caller and that no row names any more. They are never filled again.
 * `removeAbandonedFolders` retries what cannot be removed now.
 */
export async function removeOrphanFolders(
  database: Database,
  storage: BlobStorage,
  folders: string[],
): Promise<void> {
  for (const folder of folders) await storage.removeFolder(folder);
  if (folders.length > 0) await deleteLooseFolders(database, folders);
}

/**
 * Removes folders left behind by a process that died or by an erased account. Returns how many folders were tried. A
 * folder that cannot be removed does not stop the others unless the storage is unavailable; the first error is thrown
 * at the end.
 */
export async function removeAbandonedFolders(database: Database, storage: BlobStorage): Promise<number> {
  const folders = await takeOrphanFolders(database, foldersPerRound);
  let failure: { error: unknown } | undefined;
  for (const folder of folders)
    try {
      await removeMarkedFolder(database, storage, folder);
    } catch (error) {
      if (isStorageUnavailable(error)) throw error;
      failure ??= { error };
    }
  if (failure !== undefined) throw failure.error;
  return folders.length;
}

/**
 * Removes the content of a folder that is marked as being removed, however long it takes. Deletes the row at the end;
 * until then nobody fills the folder again (`holdFolder`). Returns `false` when another process removes or has removed
 * the folder, or a version of a model names it.
 */
async function removeMarkedFolder(
  database: Database,
  storage: BlobStorage,
  folder: string,
): Promise<boolean> {
  // The name of the lock must stay: processes of the previous release take it too.
  const removed = await withSessionLock(database, `loose folder ${folder}`, async (session, lost) => {
    // Since it was marked, the folder may have been removed, announced and filled again.
    if (!(await isBeingRemoved(session, folder))) return false;
    // From here on, nobody can name the folder. A version of a model may already name it, by another process than the
    // one that announced it.
    const isNamed = await isFolderOfModel(session, folder);
    if (!isNamed) await storage.removeFolder(folder, lost);
    await deleteRemovedFolder(session, folder);
    return !isNamed;
  });
  return removed ?? false;
}

/**
 * Announces a folder whose name depends on its content and which may exist already. Nobody removes it before
 * `claimFolder`, or for an hour. If the folder is being removed, waits for the end of the removal; the folder is empty
 * then. Does not announce a folder that a version of a model names: such a folder is safe, and an older release removes
 * announced folders without checking versions.
 */
export async function holdFolder(database: Database, folder: string): Promise<void> {
  if (await isFolderOfModel(database, folder)) return;
  for (const deadline = performance.now() + removedWithinMs; ; await sleep(lookEveryMs)) {
    if (await insertOrHoldFolder(database, folder, fillMinutes)) return;
    if (performance.now() > deadline) throw new Error(`${folder} is being removed still`);
  }
}

/** Removes a folder that no row seemed to name. Returns `false` when the folder is held or was named meanwhile. */
export async function removeUnnamedFolder(
  database: Database,
  storage: BlobStorage,
  folder: string,
): Promise<boolean> {
  return (await beginRemoval(database, folder)) && removeMarkedFolder(database, storage, folder);
}
