import { access, chmod, constants, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { migrateService } from '@renderkit/service/migrate.ts';
import { startPostgres } from '@renderkit/stack/postgres/start-postgres.ts';
import { migrateStudio } from '@renderkit/studio/migrate.ts';

const prefix = 'renderkit-test-';
const memoryDisk = '/dev/shm';
/** The log of a run and its databases take less than half of this. */
const memoryDiskBytes = 4 * 1024 ** 3;

/**
 * Settings for speed. The parts check the settings that protect data in a power loss, so those are not changed here.
 */
const settings = {
  // There are many databases, each for a short time. Frequent vacuum runs cost more than they gain.
  autovacuum_naptime: '5min',
  // Several platforms run at once, each with the connection pools of all its parts.
  max_connections: '600',
  // Compression is useless, because the log is not kept.
  wal_compression: 'off',
};

/**
 * Starts one PostgreSQL with migrated template databases for the whole run. Its directory is removed at the end. The
 * directory is in memory if there is enough, because then a new database waits for no disk.
 */
export async function withCluster(
  work: (url: string, directory: string) => Promise<number>,
): Promise<number> {
  const directory = await makeDirectory();
  try {
    // When this runs as root, the database server's account must be able to enter the directory.
    await chmod(directory, 0o711);
    await using postgres = await startPostgres({
      dataDirectory: directory,
      databases: [],
      settings,
      onDown: (reason) => console.error(`${reason}; it is started again`),
    });
    await makeTemplates(postgres.superuserUrl);
    return await work(postgres.superuserUrl, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function makeDirectory(): Promise<string> {
  const parent = (await hasRoomInMemory()) ? memoryDisk : tmpdir();
  await removeAbandoned(parent);
  return mkdtemp(path.join(parent, `${prefix}${process.pid}-`));
}

async function hasRoomInMemory(): Promise<boolean> {
  try {
    await access(memoryDisk, constants.W_OK);
    const { bavail, bsize } = await statfs(memoryDisk);
    return process.platform === 'linux' && Math.min(bavail * bsize, freemem()) >= memoryDiskBytes;
  } catch {
    return false;
  }
}

/** Removes the directories of killed runs, whose names contain the process id. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) await rm(path.join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function makeTemplates(url: string): Promise<void> {
  await using cluster = openDatabase({ url, applicationName: 'test', poolSize: 1, statementTimeoutMs: 0 });
  await shortenSignIn(cluster, url);
  for (const part of ['empty', 'service', 'studio']) await cluster.rows(`create database template_${part}`);
  const template = (part: string) => url.replace(/\/postgres$/, `/template_${part}`);
  await Promise.all([migrateService(template('service')), migrateStudio(template('studio'))]);
}

/**
 * Sets the same password again, derived in one round instead of thousands, because the tests open thousands of
 * sessions.
 */
async function shortenSignIn(cluster: Database, url: string): Promise<void> {
  const password = decodeURIComponent(new URL(url).password);
  await cluster.transaction(async (transaction) => {
    await transaction.rows('set local scram_iterations = 1');
    // The password consists of letters, digits, - and _ (initialise-cluster.ts).
    await transaction.rows(`alter role current_user password '${password}'`);
  });
}
