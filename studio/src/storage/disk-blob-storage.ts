import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '@renderkit/server-kit/files/durable-files.ts';
import {
  makePrivateDirectory,
  privateDirectoryMode,
  privateFileMode,
} from '@renderkit/server-kit/files/private-files.ts';
import { freeBytes } from '@renderkit/server-kit/http/byte-buffer.ts';
import type { Storage } from './blob-storage.ts';

const keyShape = /^([0-9A-Za-z]{32})\/([0-9a-z_]{1,60}\.[0-9a-z]{2,4})$/;
const folderShape = /^[0-9A-Za-z]{32}$/;
// Two characters of the folder's name as a level of its own: no directory grows without bound.
const shardLength = 2;

/**
 * Media as files under `directory`, made where it is missing and closed to other users; workers on other machines share
 * it by a network file system, under the same user.
 */
export async function openDiskStorage(directory: string): Promise<Storage> {
  await makePrivateDirectory(directory);
  const folderPath = (folder: string) => path.join(directory, folder.slice(0, shardLength), folder);
  const pathOf = (key: string) => {
    const [, folder, name] = keyShape.exec(key) ?? [];
    return folder === undefined || name === undefined ? undefined : path.join(folderPath(folder), name);
  };
  return {
    pathOf,
    put: async (key, bytes) => {
      const target = pathOf(key);
      if (target === undefined) throw new TypeError(`${key} is no key of the storage`);
      const made = await makeFolder(directory, path.dirname(target));
      const temporary = await writeTemporary(path.dirname(target), [bytes]);
      await renameSafely(temporary.path, target, made);
    },
    receive: async (folder, chunks) => {
      if (!folderShape.test(folder)) throw new TypeError(`${folder} is no folder of the storage`);
      const made = await makeFolder(directory, folderPath(folder));
      const temporary = await writeTemporary(folderPath(folder), chunks);
      let kept = false;
      return {
        ...temporary,
        keep: async (name) => {
          const target = pathOf(`${folder}/${name}`);
          if (target === undefined) throw new TypeError(`${name} is no name for a file of the storage`);
          await renameSafely(temporary.path, target, made);
          kept = true;
          return `${folder}/${name}`;
        },
        [Symbol.asyncDispose]: async () => {
          if (!kept) await rm(temporary.path, { force: true });
        },
      };
    },
    open: async (key) => {
      const file = pathOf(key);
      const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
      if (file === undefined || !found?.isFile()) return undefined;
      return { sizeBytes: found.size, read: (range) => createReadStream(file, range) };
    },
    removeFolder: async (folder) => {
      if (!folderShape.test(folder)) throw new TypeError(`${folder} is no folder of the storage`);
      await rm(folderPath(folder), { recursive: true, force: true });
    },
  };
}

/** Makes a folder; answers the directories to sync once something in it has its name. */
async function makeFolder(directory: string, folder: string): Promise<string[]> {
  const firstMade = await mkdir(folder, { recursive: true, mode: privateDirectoryMode });
  return firstMade === undefined ? [folder] : [folder, path.dirname(folder), directory];
}

/** Writes and syncs a file of a name that nobody asks for; removes it again when that fails. */
async function writeTemporary(
  folder: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ path: string; sizeBytes: number }> {
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
async function writeBatches(
  file: FileHandle,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<number> {
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

/** Every stored file's key; for checks that nothing was left behind. A folder that is removed meanwhile holds nothing. */
export async function listKeys(directory: string): Promise<string[]> {
  const shards = await namesIn(directory);
  const folders = (
    await Promise.all(
      shards.map(async (shard) =>
        (await namesIn(path.join(directory, shard))).map((name) => [shard, name] as const),
      ),
    )
  ).flat();
  const keys = await Promise.all(
    folders.map(async ([shard, name]) =>
      (await namesIn(path.join(directory, shard, name))).map((file) => `${name}/${file}`),
    ),
  );
  return keys.flat().sort();
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
