import { writeFileSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '@renderkit/server-kit/files/file-lock.ts';
import { privateDirectoryMode, privateFileMode, setMode } from '@renderkit/server-kit/files/private-files.ts';
import { StackError } from './stack-error.ts';

/** Returns the paths of files in the data directory. The studio stores its media and rules there too. */
export function filesOf(dataDirectory: string) {
  const file = (name: string) => path.join(dataDirectory, name);
  return {
    lock: file('lock'),
    holder: file('lock-holder'),
    secretsLock: file('secrets-lock'),
    secretKey: file('secret-key'),
    studioClientSecret: file('studio-client-secret'),
    logs: file('logs'),
    media: file('media'),
    moderation: file('moderation.json'),
    /** Contains the path of the cluster, if the cluster lies elsewhere. */
    clusterPointer: file('postgres.location'),
  };
}

/** Who holds the directory. `stopping` and `operator` release it soon. */
export type Holder = 'stack' | 'operator' | 'stopping' | 'nobody';

export type HeldDirectory = Disposable & {
  /** The last holder died without releasing the directory: its child processes may need a moment to end. */
  afterCrash: boolean;
  /** Informs waiting processes that the directory will be released soon. */
  sayStopping: () => Promise<void>;
};

/** A holder whose parent was just killed takes a moment to notice and to report that it stops. */
const noticeMs = 2_000;
const soonGoneMs = 60_000;
const pollMs = 50;

/**
 * Creates the directory if there is none, and holds it for a stack. Waits for a holder that stops soon, but not for a
 * running stack.
 * @throws StackError when the directory is held or cannot be used
 */
export async function holdDataDirectory(directory: string): Promise<HeldDirectory> {
  const started = performance.now();
  for (;;) {
    const held = await tryToHold(directory, 'stack');
    if (typeof held === 'object') return held;
    if (performance.now() - started > (held === 'stack' ? noticeMs : soonGoneMs))
      throw new StackError(
        `Another stack runs on ${directory}: stop it first, or set DATA_DIR to another directory for a second one.`,
      );
    await sleep(pollMs);
  }
}

/** Holds the directory, or returns who holds it. @throws StackError when the directory cannot be used */
export async function tryToHold(
  directory: string,
  as: 'stack' | 'operator',
): Promise<HeldDirectory | Holder> {
  await makeDataDirectory(directory);
  const files = filesOf(directory);
  const lock = await lockDirectory(directory, files.lock);
  const holder = await readHolder(files.holder);
  if (lock === undefined) return holder;
  try {
    await writeFile(files.holder, as, { mode: privateFileMode });
  } catch (error) {
    lock[Symbol.dispose]();
    throw unusable(directory, error);
  }
  return {
    afterCrash: holder === 'stack' || holder === 'stopping',
    // On a full disk, this cannot be reported: waiting processes then wait longer.
    sayStopping: () => writeFile(files.holder, 'stopping').catch(() => undefined),
    [Symbol.dispose]: () => letGo(lock, files.holder),
  };
}

/** @throws StackError when files of the directory cannot be written */
async function lockDirectory(directory: string, lockFile: string): Promise<Disposable | undefined> {
  try {
    // Checked here because the error of the lock's library would not say what is wrong.
    await access(directory, constants.W_OK | constants.X_OK);
    await access(lockFile, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return await takeLock(lockFile, { waitMs: 0 });
  } catch (error) {
    throw unusable(directory, error);
  }
}

function letGo(lock: Disposable, holderFile: string): void {
  try {
    // Written before the lock is released: afterwards, the file may already belong to the next holder.
    writeFileSync(holderFile, 'nobody');
  } catch {
    // The next holder then assumes a crash and waits for ports that are already free.
  } finally {
    lock[Symbol.dispose]();
  }
}

async function readHolder(file: string): Promise<Holder> {
  const text = await readFile(file, 'utf8').catch(() => 'nobody');
  return (['stack', 'operator', 'stopping'] as const).find((holder) => holder === text) ?? 'nobody';
}

/** Creates the data directory unless it exists. @throws StackError when it cannot be used */
export async function makeDataDirectory(directory: string): Promise<void> {
  try {
    // The account of PostgreSQL may need access to the parent directories; the directory itself is opened to it where
    // necessary.
    await mkdir(path.dirname(directory), { recursive: true, mode: 0o711 });
    await mkdir(directory, { mode: privateDirectoryMode }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const found = await stat(directory);
    if (!found.isDirectory()) throw new Error('it is no directory');
  } catch (error) {
    throw unusable(directory, error);
  }
}

function unusable(directory: string, error: unknown): StackError {
  return new StackError(
    `The data directory ${directory} cannot be used (${error instanceof Error ? error.message : String(error)}): set DATA_DIR to a directory that can be written.`,
    { cause: error },
  );
}

/**
 * Removes the read access of other users from files that earlier versions left in the data directory.
 * `findClusterPlace` handles the directory itself, and the studio handles the content of `media`.
 */
export async function closeDataDirectory(directory: string): Promise<void> {
  const { logs, media, ...files } = filesOf(directory);
  for (const file of Object.values(files)) await setMode(file, privateFileMode);
  for (const folder of [logs, media]) await setMode(folder, privateDirectoryMode);
  for (const name of await readdir(logs).catch(() => []))
    await setMode(path.join(logs, name), privateFileMode);
}
