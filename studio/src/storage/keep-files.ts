import type { KeyObject } from 'node:crypto';
import { CommitUnconfirmed, type Database, type Transaction } from '@renderkit/server-kit/db/database.ts';
import { announceFolder, removeOrphanFolders } from './orphan-folders.ts';
import { claimFolder } from './queries.ts';
import { mediaFolder } from './media-folder.ts';
import type { BlobStorage, Chunks } from '@renderkit/blob-storage/blob-storage.ts';

export type NewFile = { name: string; chunks: Chunks };
export type KeptFile = { key: string; sizeBytes: number };

/**
 * Stores files in a new folder and calls `name` to write the row that names them, in one transaction. `name` gets the
 * key and the size of each file. When `name` returns that it named nothing, or throws, the files are removed again.
 */
export async function keepFiles<Role extends string, T extends { named: boolean }>(
  { owner, files }: { owner: string; files: Readonly<Record<Role, NewFile>> },
  { database, storage, mediaKey }: { database: Database; storage: BlobStorage; mediaKey: KeyObject },
  name: (transaction: Transaction, kept: Readonly<Record<Role, KeptFile>>) => Promise<T>,
): Promise<T> {
  const folder = mediaFolder(mediaKey, owner, 0, 0);
  await announceFolder(database, folder);
  let orphaned = true;
  try {
    const kept = {} as Record<Role, KeptFile>;
    for (const role of Object.keys(files) as Role[]) {
      const key = `${folder}/${files[role].name}`;
      kept[role] = { key, ...(await storage.put(key, files[role].chunks)) };
    }
    const result = await database.transaction(async (transaction) => {
      const outcome = await name(transaction, kept);
      if (outcome.named && !(await claimFolder(transaction, folder)))
        throw new Error('the files took longer to write than they were kept for');
      return outcome;
    });
    orphaned = !result.named;
    return result;
  } catch (error) {
    // The row may exist: the next clean-up checks whether the folder is an orphan.
    if (error instanceof CommitUnconfirmed) orphaned = false;
    throw error;
  } finally {
    if (orphaned) await removeOrphanFolders(database, storage, [folder]).catch(() => undefined);
  }
}
