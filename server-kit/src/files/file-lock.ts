import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const sqliteBusy = 5;
const retryMs = 50;

/**
 * Takes the lock that this file represents. Returns `undefined` when another holder keeps the lock for longer than
 * `waitMs`.
 *
 * Node has no flock; an exclusive transaction of SQLite works as one. The kernel frees the lock when its holder dies
 * for any reason, so nobody has to remove a lock after `kill -9`.
 */
export async function takeLock(file: string, options: { waitMs: number }): Promise<Disposable | undefined> {
  const deadline = performance.now() + options.waitMs;
  for (;;) {
    const lock = tryLock(file);
    if (lock !== undefined || performance.now() >= deadline) return lock;
    await sleep(retryMs);
  }
}

/** Like `takeLock`, but does not wait. */
export function tryLock(file: string): Disposable | undefined {
  makeFile(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written, so there is nothing to roll back and no journal file remains.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/**
 * Creates the lock file for its owner only. SQLite would make the file readable for everybody, and anybody who can open
 * it can hold the lock. Does not open an existing file: when a process closes any descriptor of a file, the kernel
 * frees all locks that this process has on the file.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
