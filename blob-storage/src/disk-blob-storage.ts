import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '@renderkit/server-kit/files/durable-files.ts';
import { MediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import {
  makePrivateDirectory,
  privateDirectoryMode,
  privateFileMode,
} from '@renderkit/server-kit/files/private-files.ts';
import {
  BlobMissing,
  type BlobStorage,
  type Chunks,
  type ListedBlob,
  partsOf,
  requireFolder,
  requireKey,
} from './blob-storage.ts';
import { claimDisk, ownerFile, readOwner } from './claim-disk.ts';
import { writeChunks } from './write-chunks.ts';

// The first two characters of a folder's name are a level of directories, so that no directory grows without limit.
const shardLength = 2;
const shardShape = /^[\w-]{2}$/;
/** The ending of files that are still being written and are no blobs yet. */
const temporaryEnd = '.tmp';

/** Returns the directory of all media, in the data directory. */
export function mediaDirectory(dataDirectory: string): string {
  return path.join(dataDirectory, 'media');
}

/**
 * Opens a storage of blobs as files in the data directory. Creates the directory if it is missing, closed to other
 * users. Workers on other machines share it through a network file system, as the same user.
 */
export async function openDiskBlobStorage(dataDirectory: string): Promise<BlobStorage> {
  const directory = mediaDirectory(dataDirectory);
  await makePrivateDirectory(directory);
  const folderPath = (folder: string) => pathOf(directory, folder);
  let isClaimed = false;
  const find = (key: string) => findFile(directory, key, isClaimed);
  /** Writes a file under a temporary name; `name` gives it its real name. */
  const write = async (folder: string, chunks: Chunks) => {
    const made = await makeFolder(directory, folderPath(folder));
    const temporary = await writeTemporary(folderPath(folder), chunks);
    const name = (target: string) =>
      renameSafely(temporary.path, path.join(folderPath(folder), target), made);
    return { ...temporary, name };
  };
  return {
    put: async (key, chunks) => {
      const { folder, name } = requireKey(key);
      const file = await write(folder, chunks);
      await file.name(name);
      return { sizeBytes: file.sizeBytes };
    },
    receive: async (folder, chunks) => {
      requireFolder(folder);
      const file = await write(folder, chunks);
      let kept = false;
      return {
        sizeBytes: file.sizeBytes,
        withLocalFile: (use) => use(file.path),
        keep: async (name) => {
          const key = `${folder}/${name}`;
          requireKey(key);
          await file.name(name);
          kept = true;
          return key;
        },
        [Symbol.asyncDispose]: async () => {
          if (!kept) await rm(file.path, { force: true });
        },
      };
    },
    open: async (key) => {
      const found = await find(key);
      return found && { sizeBytes: found.sizeBytes, read: (range) => createReadStream(found.path, range) };
    },
    withLocalFile: async (key, use) => {
      const found = await find(key);
      if (found === undefined) throw new BlobMissing(key);
      return use(found.path);
    },
    removeFolder: async (folder) => {
      requireFolder(folder);
      await rm(folderPath(folder), { recursive: true, force: true });
    },
    list: () => listFiles(directory),
    removeUnfinished: (before) => removeTemporaries(directory, before),
    claim: async (owner) => {
      const named = await claimDisk(directory, owner);
      // On a full disk the owner could not be written. Existing media are served anyway.
      isClaimed = (await readOwner(directory)) !== undefined;
      return named;
    },
    check: async () => {
      await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
      if (isClaimed) await requireOwner(directory);
    },
  };
}

function pathOf(directory: string, folder: string): string {
  return path.join(directory, folder.slice(0, shardLength), folder);
}

/** Returns `undefined` where there is no such file. @throws MediaUnavailable where this cannot be decided */
async function findFile(
  directory: string,
  key: string,
  isClaimed: boolean,
): Promise<{ path: string; sizeBytes: number } | undefined> {
  const parts = partsOf(key);
  if (parts === undefined) return undefined;
  const file = path.join(pathOf(directory, parts.folder), parts.name);
  try {
    const found = await stat(file).catch(unlessGone);
    if (found === undefined && isClaimed) await requireOwner(directory);
    return found?.isFile() ? { path: file, sizeBytes: found.size } : undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MediaUnavailable(`the media cannot be read now: ${reason}`, { cause: error });
  }
}

/**
 * Throws where the owner file is missing. Then the volume of the media is not mounted, so a missing file does not mean
 * that a blob is gone.
 */
async function requireOwner(directory: string): Promise<void> {
  if ((await readOwner(directory)) === undefined)
    throw new MediaUnavailable(`${ownerFile(directory)} is not there: is the volume of the media mounted?`);
}

/** Creates a folder. Returns the directories to sync after a file in the folder got its name. */
async function makeFolder(directory: string, folder: string): Promise<string[]> {
  const topmostMade = await mkdir(folder, { recursive: true, mode: privateDirectoryMode });
  return topmostMade === undefined ? [folder] : [folder, path.dirname(folder), directory];
}

/** Writes and syncs a file with a temporary name; removes it again if that fails. */
async function writeTemporary(folder: string, chunks: Chunks): Promise<{ path: string; sizeBytes: number }> {
  const temporary = path.join(folder, `${randomBytes(6).toString('hex')}${temporaryEnd}`);
  let sizeBytes: number;
  try {
    await using file = await open(temporary, 'wx', privateFileMode);
    sizeBytes = await writeChunks(file, chunks);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { path: temporary, sizeBytes };
}

/** Renames a file so that the name survives a power cut: syncs the file's directory and those that were made for it. */
async function renameSafely(temporary: string, target: string, toSync: string[]): Promise<void> {
  try {
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await Promise.all(toSync.map(syncDirectory));
}

/** Lists the files of one shard at a time, without files that are not named by a key. */
async function* listFiles(directory: string): AsyncGenerator<ListedBlob[]> {
  for await (const files of filesByShard(directory)) {
    const blobs = files.map(async ({ folder, name, file }) => {
      const isBlob = !name.endsWith(temporaryEnd) && partsOf(`${folder}/${name}`) !== undefined;
      const found = isBlob ? await stat(file).catch(unlessGone) : undefined;
      return found && { key: `${folder}/${name}`, sizeBytes: found.size, storedAt: found.mtime };
    });
    yield (await Promise.all(blobs)).filter((blob) => blob !== undefined);
  }
}

/** Removes files that a process left when it was killed while it wrote. */
async function removeTemporaries(directory: string, before: Date): Promise<number> {
  let removed = 0;
  for await (const files of filesByShard(directory))
    for (const { name, file } of files) {
      if (!name.endsWith(temporaryEnd)) continue;
      const found = await stat(file).catch(unlessGone);
      if (found === undefined || found.mtime >= before) continue;
      await rm(file, { force: true });
      removed++;
    }
  return removed;
}

type FoundFile = { folder: string; name: string; file: string };

async function* filesByShard(directory: string): AsyncGenerator<FoundFile[]> {
  // A volume has its own folders there, which we may not be allowed to read.
  for (const shard of (await namesIn(directory)).filter((name) => shardShape.test(name))) {
    const folders = await namesIn(path.join(directory, shard));
    const files = folders.map(async (folder) =>
      (await namesIn(path.join(directory, shard, folder))).map((name) => ({
        folder,
        name,
        file: path.join(directory, shard, folder, name),
      })),
    );
    yield (await Promise.all(files)).flat();
  }
}

/** A folder may be removed while it is read. A file is treated as an empty folder. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(unlessGone)) ?? [];
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
