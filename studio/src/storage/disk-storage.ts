import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Storage } from './storage.ts';

const keyShape = /^([0-9A-Za-z]{32})\/([0-9a-z_]{1,60}\.[0-9a-z]{2,4})$/;
const folderShape = /^[0-9A-Za-z]{32}$/;
// Two characters of the folder's name as a level of its own: no directory grows without bound.
const shardLength = 2;

/** Media as files under `directory`, made where it is missing; workers on other machines share it by a network file system. */
export async function openDiskStorage(directory: string): Promise<Storage> {
  await mkdir(directory, { recursive: true });
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
      const folder = path.dirname(target);
      const firstMade = await mkdir(folder, { recursive: true });
      const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
      try {
        const file = await open(temporary, 'wx', 0o644);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, target);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      // A new name is safe when its directory is: the file's own, and those of the directories made for it.
      const shard = path.dirname(folder);
      const toSync = firstMade === undefined ? [folder] : [folder, shard, directory];
      await Promise.all(toSync.map(syncDirectory));
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

/** Windows has no such thing and needs none. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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
