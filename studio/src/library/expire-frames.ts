import type { Database } from '@renderkit/server-kit/db/database.ts';
import { removeOrphanFolders } from '../storage/orphan-folders.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { deleteExpiredFrames } from './store.ts';

const framesPerRound = 500;

/**
 * Removes frames that nobody saved to a project or requested lately. Returns how many. `keptWhenTaken` and
 * `keptWhenAsked` in `store.ts` say how long frames are kept.
 */
export async function expireFrames(database: Database, storage: BlobStorage): Promise<number> {
  const folders = await deleteExpiredFrames(database, framesPerRound);
  await removeOrphanFolders(database, storage, folders);
  return folders.length;
}
