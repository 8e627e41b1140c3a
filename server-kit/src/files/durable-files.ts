import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a text file that only its owner can read. Once this returns, the content survives a power cut. The file has
 * either the old content or the new one, even when the process is killed at any moment. When two writers run at once,
 * the later one wins.
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

/**
 * Like `replaceFile`, but does nothing when the file already exists. When two writers run at once, the first one wins.
 */
export async function createFile(file: string, text: string): Promise<void> {
  const unfinished = await writeUnfinished(file, text);
  try {
    await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      // The file system has no hard links. A reader may see an incomplete copy for a moment.
      return copyFile(unfinished, file, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
  await syncDirectory(path.dirname(file));
}

/** Makes the file names of a directory survive a power cut. Windows has no such call and does not need one. */
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
