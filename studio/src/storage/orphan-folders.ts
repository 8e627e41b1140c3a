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

/** Whoever begins to fill a folder names it in a row within this: the largest file at the slowest rate and some. */
const fillMinutes = 60;
const foldersPerRound = 100;
/** A bucket that is away is tried for some seconds. */
const removedWithinMs = 20_000;
const lookEveryMs = 100;

/** Says that a folder is about to be filled: it is removed again unless `claimFolder` comes in time. */
export async function announceFolder(database: Database, folder: string): Promise<void> {
  await insertOrphanFolder(database, folder, fillMinutes);
}

/**
 * Within the transaction that names a folder of `holdFolder` in a version of a model, which may be one that another version
 * named before. @throws Error where it is being removed
 */
export async function claimHeldFolder(transaction: Transaction, folder: string): Promise<void> {
  if (!(await claimFolder(transaction, folder)) && (await isLoose(transaction, folder)))
    throw new Error('the thumbnail was kept for an hour and is being removed: add the model again');
}

/**
 * Removes folders that are the caller's own and that no row names any more; nobody ever fills them again. One that cannot be
 * removed now is left to `removeAbandonedFolders`.
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
 * Removes folders that were left behind: by a process that died, or with an account that was erased. Returns how many were
 * looked at. One that cannot be removed keeps no other, unless the storage is away: the first error is thrown at the end.
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
 * Removes what lies in a folder that is marked as being removed, however long it takes. The row is deleted at the end, and
 * until then nobody fills the folder anew (`holdFolder`). False where another process is removing it or was faster, and where
 * a version of a model names it.
 */
async function removeMarkedFolder(
  database: Database,
  storage: BlobStorage,
  folder: string,
): Promise<boolean> {
  // The lock's name stays: processes of the release before take it too.
  const removed = await withSessionLock(database, `loose folder ${folder}`, async (session, lost) => {
    // Since it was marked it may have been removed, announced and filled again.
    if (!(await isBeingRemoved(session, folder))) return false;
    // From here on nobody can name it. Whoever announced one may have named nothing while another did.
    const isNamed = await isFolderOfModel(session, folder);
    if (!isNamed) await storage.removeFolder(folder, lost);
    await deleteRemovedFolder(session, folder);
    return !isNamed;
  });
  return removed ?? false;
}

/**
 * Announces a folder that is named by its content and may be there already, so that nobody removes it before `claimFolder`
 * or for an hour. One that is being removed is waited for: whoever comes next finds nothing in it. One that a version of a model
 * names is safe already, and never announced: an older release removes what was announced without a look at versions.
 */
export async function holdFolder(database: Database, folder: string): Promise<void> {
  if (await isFolderOfModel(database, folder)) return;
  for (const deadline = performance.now() + removedWithinMs; ; await sleep(lookEveryMs)) {
    if (await insertOrHoldFolder(database, folder, fillMinutes)) return;
    if (performance.now() > deadline) throw new Error(`${folder} is being removed still`);
  }
}

/** Removes a folder that nothing seemed to name. False where it is held, or somebody has named it meanwhile. */
export async function removeUnnamedFolder(
  database: Database,
  storage: BlobStorage,
  folder: string,
): Promise<boolean> {
  return (await beginRemoval(database, folder)) && removeMarkedFolder(database, storage, folder);
}
