import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../migrate.ts';

/** Brings an empty database to where it was before a migration, named by its number, so that a test can fill it as it was then. */
export async function migrateBefore(url: string, directory: string, number: string): Promise<void> {
  const earlier = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  try {
    for (const name of await readdir(directory))
      if (name.slice(0, 3) < number) await copyFile(path.join(directory, name), path.join(earlier, name));
    await migrate({ url, directory: earlier });
  } finally {
    await rm(earlier, { recursive: true, force: true });
  }
}
