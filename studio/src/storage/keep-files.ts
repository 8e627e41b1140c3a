import type { KeyObject } from 'node:crypto';
import { CommitInDoubt, type Database, type Transaction } from '@renderkit/server-kit/db/database.ts';
import { announceFolder, claimFolder, removeLooseFolders } from './orphan-folders.ts';
import { mediaFolder } from './media-folder.ts';
import type { Storage } from './blob-storage.ts';

export type NewFile = { name: string; chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> };

/**
 * Puts files into a folder of their own and lets `name` write the row that names them, in one transaction. Where
 * nothing was named, whether `name` says so or throws, the files are removed again.
 */
export async function keepFiles<T extends { named: boolean }>(
  folderOf: { owner: string; files: NewFile[] },
  { database, storage, mediaKey }: { database: Database; storage: Storage; mediaKey: KeyObject },
  name: (transaction: Transaction, keys: string[]) => Promise<T>,
): Promise<T> {
  const folder = mediaFolder(mediaKey, folderOf.owner, 0, 0);
  await announceFolder(database, folder);
  let loose = true;
  try {
    const keys: string[] = [];
    for (const { name: fileName, chunks } of folderOf.files) {
      await using file = await storage.receive(folder, chunks);
      keys.push(await file.keep(fileName));
    }
    const result = await database.transaction(async (transaction) => {
      const outcome = await name(transaction, keys);
      if (outcome.named && !(await claimFolder(transaction, folder)))
        throw new Error('the files took longer to write than they were kept for');
      return outcome;
    });
    loose = !result.named;
    return result;
  } catch (error) {
    // The row may be there after all: whether the folder is loose is then for the sweep to see.
    if (error instanceof CommitInDoubt) loose = false;
    throw error;
  } finally {
    if (loose) await removeLooseFolders(database, storage, [folder]).catch(() => undefined);
  }
}
