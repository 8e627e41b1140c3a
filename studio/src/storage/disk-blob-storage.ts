import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '@renderkit/server-kit/files/durable-files.ts';
import {
  makePrivateDirectory,
  privateDirectoryMode,
  privateFileMode,
} from '@renderkit/server-kit/files/private-files.ts';
import { freeBytes } from '@renderkit/server-kit/http/byte-buffer.ts';
import {
  BlobMissing,
  type BlobStorage,
  type Chunks,
  partsOf,
  requireFolder,
  requireKey,
} from './blob-storage.ts';

// Two characters of the folder's name as a level of its own: no directory grows without bound.
const shardLength = 2;

/** The directory of all media, below the data directory. */
export function mediaDirectory(dataDirectory: string): string {
  return path.join(dataDirectory, 'media');
}

/**
 * Blobs as files below the data directory, made where it is missing and closed to other users. Workers on other machines
 * share it by a network file system, under the same user.
 */
export async function openDiskBlobStorage(dataDirectory: string): Promise<BlobStorage> {
  const directory = mediaDirectory(dataDirectory);
  await makePrivateDirectory(directory);
  const folderPath = (folder: string) => path.join(directory, folder.slice(0, shardLength), folder);
  /** Undefined where there is no such file. */
  const find = async (key: string): Promise<{ path: string; sizeBytes: number } | undefined> => {
    const parts = partsOf(key);
    if (parts === undefined) return undefined;
    const file = path.join(folderPath(parts.folder), parts.name);
    const found = await stat(file).catch(() => undefined);
    return found?.isFile() ? { path: file, sizeBytes: found.size } : undefined;
  };
  /** Writes a file that has no name yet; `name` gives it one. */
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
  };
}

/** Makes a folder; returns the directories to sync once something in it has its name. */
async function makeFolder(directory: string, folder: string): Promise<string[]> {
  const topmostMade = await mkdir(folder, { recursive: true, mode: privateDirectoryMode });
  return topmostMade === undefined ? [folder] : [folder, path.dirname(folder), directory];
}

/** Writes and syncs a file of a name that nobody asks for; removes it again when that fails. */
async function writeTemporary(folder: string, chunks: Chunks): Promise<{ path: string; sizeBytes: number }> {
  const temporary = path.join(folder, `${randomBytes(6).toString('hex')}.tmp`);
  let sizeBytes: number;
  try {
    await using file = await open(temporary, 'wx', privateFileMode);
    sizeBytes = await writeBatches(file, chunks);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { path: temporary, sizeBytes };
}

// A write for each chunk that a socket brings took three times as long: 1.4 s instead of 0.5 s for 200 MB.
const batchBytes = 1024 * 1024;

/**
 * Gathers chunks in one piece of memory while another, full one is written. Both are used again and again: a new one for
 * each batch, left to the collector, took as much time as the writing.
 */
async function writeBatches(file: FileHandle, chunks: Chunks): Promise<number> {
  let gathering: Uint8Array = Buffer.allocUnsafeSlow(batchBytes);
  let other: Uint8Array = Buffer.allocUnsafeSlow(batchBytes);
  let used = 0;
  let sizeBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await writing;
    writing = file.writeFile(gathering.subarray(0, used));
    // It is looked at with the next batch, or at the end.
    writing.catch(() => undefined);
    [gathering, other] = [other, gathering];
    used = 0;
  };
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      for (let at = 0; at < chunk.length;) {
        const piece = chunk.subarray(at, at + batchBytes - used);
        gathering.set(piece, used);
        at += piece.length;
        used += piece.length;
        if (used === batchBytes) await flush();
      }
    }
    if (used > 0) await flush();
  } finally {
    // Nothing of it is closed, or given back, before it has ended.
    await writing.finally(() => [gathering, other].forEach(freeBytes));
  }
  return sizeBytes;
}

/** A new name is safe when its directory is: the file's own, and those of the directories made for it. */
async function renameSafely(temporary: string, target: string, toSync: string[]): Promise<void> {
  try {
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await Promise.all(toSync.map(syncDirectory));
}
