import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const sqliteBusy = 5;
const retryMs = 50;

/**
 * Takes the lock that a file stands for, or answers undefined when another holds it for longer than `waitMs`.
 * Node has no flock; SQLite's exclusive transaction is one, and the kernel frees it however its holder dies,
 * so that a lock left behind by `kill -9` needs no hand to remove.
 */
export async function takeLock(file: string, options: { waitMs: number }): Promise<Disposable | undefined> {
  const deadline = performance.now() + options.waitMs;
  for (;;) {
    const lock = tryLock(file);
    if (lock !== undefined || performance.now() >= deadline) return lock;
    await sleep(retryMs);
  }
}

/** The same without any waiting. */
export function tryLock(file: string): Disposable | undefined {
  makeFile(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written, so there is nothing to roll back and no journal to leave behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/**
 * SQLite would make it readable for everybody, and who can open it can hold it. A file that is there is not opened: the
 * kernel frees every lock that a process has on a file as soon as that process closes any descriptor of it.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
