import { type Dirent, existsSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tryLock } from '@renderkit/server-kit/files/file-lock.ts';

/**
 * The directory of one process. It contains the process's temporary directories and a lock that is held while the
 * process lives.
 */
type OwnDirectory = { directory: string; lock: Disposable; users: number; made: number };

const prefix = 'renderkit-media-';
const lockName = 'lock';
const maxTries = 5;

/** Created with the first temporary directory and removed with the last. */
let ownDirectory: OwnDirectory | undefined;

export type TemporaryDirectory = { path: string; [Symbol.asyncDispose]: () => Promise<void> };

/** Passes a directory that nobody else can read to `work`, and removes it at the end. */
export async function withTemporaryDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  await using directory = makeTemporaryDirectory();
  return await work(directory.path);
}

/**
 * Makes a directory that nobody else can read; disposing removes it. If this process is killed, `removeDeadDirectories`
 * of any other process removes the directory.
 */
export function makeTemporaryDirectory(): TemporaryDirectory {
  const own = (ownDirectory ??= makeOwnDirectory());
  const directory = path.join(own.directory, String(++own.made));
  mkdirSync(directory, { mode: 0o700 });
  own.users++;
  let removed = false;
  return {
    path: directory,
    [Symbol.asyncDispose]: async () => {
      if (removed) return;
      removed = true;
      try {
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      } finally {
        if (--own.users === 0) await removeOwnDirectory(own);
      }
    },
  };
}

async function removeOwnDirectory(own: OwnDirectory): Promise<void> {
  if (ownDirectory === own) ownDirectory = undefined;
  // Windows cannot remove an open file. A process that takes the lock now will remove the same directory.
  own.lock[Symbol.dispose]();
  await rm(own.directory, { recursive: true, force: true }).catch(() => undefined);
}

/**
 * Creates the directory of this process. Another process may take a new directory for a dead one and remove it; then
 * this makes another.
 */
function makeOwnDirectory(): OwnDirectory {
  for (let tries = 1; ; tries++) {
    const directory = mkdtempSync(path.join(tmpdir(), prefix));
    const file = path.join(directory, lockName);
    try {
      const lock = tryLock(file);
      if (lock !== undefined && existsSync(file)) return { directory, lock, users: 0, made: 0 };
      lock?.[Symbol.dispose]();
    } catch (error) {
      if (existsSync(directory) || tries === maxTries) throw error;
    }
    if (tries === maxTries) throw new Error(`no directory could be made and kept in ${tmpdir()}`);
  }
}

/**
 * Removes what killed processes have left in the system's temporary directory, never the directory of a living process.
 */
export async function removeDeadDirectories(): Promise<void> {
  const entries = await readdir(tmpdir(), { withFileTypes: true });
  for (const entry of entries) if (isOurs(entry)) await removeIfDead(path.join(tmpdir(), entry.name));
}

/**
 * Returns whether a directory is ours. Other users can write into the shared temporary directory: their files are not
 * followed or touched.
 */
function isOurs(entry: Dirent): boolean {
  if (!entry.name.startsWith(prefix) || !entry.isDirectory()) return false;
  const found = lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

async function removeIfDead(directory: string): Promise<void> {
  // Its process was killed before it locked the directory, or has not locked it yet. The directory is empty, and its
  // process can make another.
  if (!existsSync(path.join(directory, lockName))) return rmdir(directory).catch(() => undefined);
  try {
    using lock = tryLock(path.join(directory, lockName));
    if (lock !== undefined) await rm(directory, { recursive: true, force: true });
  } catch {
    // Another process removed it meanwhile, or it stays until the next time.
  }
}
