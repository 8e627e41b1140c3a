import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFile } from '@renderkit/server-kit/files/durable-files.ts';
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';

const looks = 20;
const lookEveryMs = 100;

/** Beside the folders of media, under the name that it has in a bucket. No key leads to it. */
export function ownerFile(directory: string): string {
  return path.join(directory, 'renderkit-studio');
}

/** Who the media of a directory belong to; undefined where nobody is named. */
export async function readOwner(directory: string): Promise<string | undefined> {
  const text = await readFile(ownerFile(directory), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text?.trim() || undefined;
}

/**
 * Writes the owner beside the media unless somebody is named there; returns who is. Of several that come at the same moment
 * one is the owner, on a network file system too. Where the disk is full or cannot be written nobody is named yet. @throws ConfigError where the file stays empty
 */
export async function claimDisk(directory: string, owner: string): Promise<string> {
  const named = await readOwner(directory);
  if (named !== undefined) return named;
  try {
    await createFile(ownerFile(directory), `${owner}\n`);
  } catch (error) {
    // A later start writes it.
    if (isStorageUnavailable(error)) return owner;
    throw error;
  }
  for (let look = 1; look <= looks; look++) {
    const written = await readOwner(directory);
    if (written !== undefined) return written;
    // On a file system without links a file is there before its text is.
    await sleep(lookEveryMs);
  }
  throw new ConfigError(
    `${ownerFile(directory)} is empty, for a start was ended while it wrote it: remove that file and start again.`,
  );
}
