import { readdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns the key of every file in the directory of all media, for checks that nothing was left behind. A folder that
 * is removed meanwhile counts as empty.
 */
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
