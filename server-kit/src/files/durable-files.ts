import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a text file that would survive a power cut once this returns, for its owner alone. It has the old content or
 * the new, whenever the process is killed. Of two writers at once the later one stays.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const unfinished = await writeUnfinished(file, text);
  try {
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(file));
}

/** The same, unless there is a file of that name already: of two writers at once the first one stays. */
export async function createFile(file: string, text: string): Promise<void> {
  const unfinished = await writeUnfinished(file, text);
  try {
    await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      // A file system without links: a reader may see half a copy for a moment.
      return copyFile(unfinished, file, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
  await syncDirectory(path.dirname(file));
}

/** Makes the names in a directory safe from a power cut. Windows has no such thing and needs none. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(directory, 'r');
  await handle.sync();
}

async function writeUnfinished(file: string, text: string): Promise<string> {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await using handle = await open(unfinished, 'wx', 0o600);
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return unfinished;
}
