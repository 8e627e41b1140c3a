import { access, opendir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFile } from '@renderkit/server-kit/files/durable-files.ts';
import { privateDirectoryMode, privateFileMode, setMode } from '@renderkit/server-kit/files/private-files.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { mediaDirectory } from './disk-blob-storage.ts';

/** A pause now and then: whoever asks for media meanwhile is not to notice. */
const entriesPerPause = 500;
const pauseMs = 10;

export type OldMedia = {
  /** Holds the media, and beside them a file that says that the work is done. */
  dataDirectory: string;
  log: Logger;
};

/**
 * Takes from files and folders that earlier versions wrote what other users of the machine may read: once, in the
 * background. A process that is killed meanwhile, or stopped by the signal, leaves it to the next start.
 */
export async function closeOldMedia({ dataDirectory, log }: OldMedia, stopping: AbortSignal): Promise<void> {
  const directory = mediaDirectory(dataDirectory);
  const doneFile = path.join(dataDirectory, 'media-closed');
  if (await exists(doneFile)) return;
  const counts = { entries: 0, refused: 0 };
  try {
    // With media in a bucket there is no such folder.
    await closeFolder(directory, counts, stopping).catch(unlessGone);
    await createFile(doneFile, 'The media of earlier versions are closed to other users.\n');
    if (counts.refused > 0)
      log.warn(
        { directory, refused: counts.refused },
        'some old media belong to another user and stay as they are',
      );
  } catch (error) {
    // Nobody waits for it: the next start tries again.
    if (!stopping.aborted)
      log.error({ err: error, directory }, 'old media could not all be closed to other users');
  }
}

type Counts = { entries: number; refused: number };

async function closeFolder(folder: string, counts: Counts, stopping: AbortSignal): Promise<void> {
  for await (const entry of await opendir(folder)) {
    stopping.throwIfAborted();
    if (++counts.entries % entriesPerPause === 0) await sleep(pauseMs);
    // Nothing of ours is a link, and what one leads to is not ours to change.
    if (!entry.isDirectory() && !entry.isFile()) continue;
    const name = path.join(folder, entry.name);
    if (!(await setMode(name, entry.isDirectory() ? privateDirectoryMode : privateFileMode)))
      counts.refused++;
    else if (entry.isDirectory()) await closeFolder(name, counts, stopping).catch(unlessGone);
  }
}

/** A folder may be removed while it is looked at. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
