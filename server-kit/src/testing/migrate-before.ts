import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../schema/migrate.ts';

/**
 * Brings an empty database to its state before the migration with this number, so that a test can fill it as it was
 * then. `sqlDirectory` is the `sql` folder of the server. Only functions that the migrations create exist.
 */
export async function migrateBefore(url: string, sqlDirectory: string, number: string): Promise<void> {
  const earlier = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  try {
    const [from, to] = [path.join(sqlDirectory, 'migrations'), path.join(earlier, 'migrations')];
    await mkdir(to);
    for (const name of await readdir(from))
      if (name.slice(0, 3) < number) await copyFile(path.join(from, name), path.join(to, name));
    await migrate({ url, directory: earlier, release: 0 });
  } finally {
    await rm(earlier, { recursive: true, force: true });
  }
}
