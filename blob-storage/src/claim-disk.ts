import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFile } from '@renderkit/server-kit/files/durable-files.ts';
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';

const looks = 20;
const lookEveryMs = 100;

/**
 * Returns the path of the owner file. It is next to the folders of media, with the same name as in a bucket. No key
 * leads to it.
 */
export function ownerFile(directory: string): string {
  return path.join(directory, 'renderkit-studio');
}

/** Returns the owner of a directory of media; `undefined` where none is named. */
export async function readOwner(directory: string): Promise<string | undefined> {
  const text = await readFile(ownerFile(directory), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text?.trim() || undefined;
}

/**
 * Writes the owner next to the media unless an owner is named there. Returns the owner. If several processes call this
 * at the same moment, all get the same owner, on a network file system too. `studio/src/storage/claim-storage.ts`
 * throws when the owner is another studio. On a full or read-only disk the file is not written yet. @throws ConfigError
 * where the file stays empty
 */
export async function claimDisk(directory: string, owner: string): Promise<string> {
  const named = await readOwner(directory);
  if (named !== undefined) return named;
  try {
    await createFile(ownerFile(directory), `${owner}\n`);
  } catch (error) {
    // A later start writes the file.
    if (isStorageUnavailable(error)) return owner;
    throw error;
  }
  for (let look = 1; look <= looks; look++) {
    const written = await readOwner(directory);
    if (written !== undefined) return written;
    // On a file system without links, the file exists before its text is written.
    await sleep(lookEveryMs);
  }
  throw new ConfigError(
    `${ownerFile(directory)} is empty, for a start was ended while it wrote it: remove that file and start again.`,
  );
}
