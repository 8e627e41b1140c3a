import type { Database } from '@renderkit/server-kit/db/database.ts';
import { removeLooseFolders } from '../storage/orphan-folders.ts';
import type { Storage } from '../storage/blob-storage.ts';
import { deleteExpiredFrames } from './store.ts';

const stillsPerRound = 500;

/** Removes stills that nobody kept in a project and nobody asked for lately. Returns how many. */
export async function expireStills(database: Database, storage: Storage): Promise<number> {
  const folders = await deleteExpiredFrames(database, stillsPerRound);
  await removeLooseFolders(database, storage, folders);
  return folders.length;
}
