import { access, opendir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFile } from '@renderkit/server-kit/files/durable-files.ts';
import { privateDirectoryMode, privateFileMode, setMode } from '@renderkit/server-kit/files/private-files.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { mediaDirectory } from './disk-blob-storage.ts';

/** Pauses now and then, so that requests for media are not slowed down. */
const entriesPerPause = 500;
const pauseMs = 10;

export type OldMedia = {
  /** Contains the media, and next to them the file that marks the work as done. */
  dataDirectory: string;
  log: Logger;
};

/**
 * Removes the access of other users of the machine to files and folders that earlier versions wrote. Runs once, in the
 * background. If the process is killed or the signal stops it, the next start does it again.
 */
export async function closeOldMedia({ dataDirectory, log }: OldMedia, stopping: AbortSignal): Promise<void> {
  const directory = mediaDirectory(dataDirectory);
  const doneFile = path.join(dataDirectory, 'media-closed');
  if (await exists(doneFile)) return;
  const counts = { entries: 0, refused: 0 };
  try {
    // Where media are in a bucket, this folder does not exist.
    await closeFolder(directory, counts, stopping).catch(unlessGone);
    await createFile(doneFile, 'The media of earlier versions are closed to other users.\n');
    if (counts.refused > 0)
      log.warn(
        { directory, refused: counts.refused },
        'some old media belong to another user and stay as they are',
      );
  } catch (error) {
    // Nothing waits for this: the next start tries again.
    if (!stopping.aborted)
      log.error({ err: error, directory }, 'old media could not all be closed to other users');
  }
}

type Counts = { entries: number; refused: number };

async function closeFolder(folder: string, counts: Counts, stopping: AbortSignal): Promise<void> {
  for await (const entry of await opendir(folder)) {
    stopping.throwIfAborted();
    if (++counts.entries % entriesPerPause === 0) await sleep(pauseMs);
    // None of our files is a link, and the target of a link must not be changed.
    if (!entry.isDirectory() && !entry.isFile()) continue;
    const name = path.join(folder, entry.name);
    if (!(await setMode(name, entry.isDirectory() ? privateDirectoryMode : privateFileMode)))
      counts.refused++;
    else if (entry.isDirectory()) await closeFolder(name, counts, stopping).catch(unlessGone);
  }
}

/** A folder may be removed while it is read. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
