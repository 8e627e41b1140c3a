import { writeFileSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '@renderkit/server-kit/files/file-lock.ts';
import { privateDirectoryMode, privateFileMode, setMode } from '@renderkit/server-kit/files/private-files.ts';
import { StackError } from './stack-error.ts';

/** Files of the data directory, by name. The studio keeps its media and rules beside them. */
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
    /** Names where the cluster lies, if that is elsewhere. */
    clusterPointer: file('postgres.location'),
  };
}

/** Who holds the directory. `stopping` and `operator` are gone soon. */
export type Holder = 'stack' | 'operator' | 'stopping' | 'nobody';

export type HeldDirectory = Disposable & {
  /** The last holder died without letting go: its children may need a moment to end. */
  afterCrash: boolean;
  /** Tells those who wait that they will not wait long. */
  sayStopping: () => Promise<void>;
};

/** A holder whose parent was just killed takes a moment to notice and say that it stops. */
const noticeMs = 2_000;
const soonGoneMs = 60_000;
const pollMs = 50;

/**
 * Makes the directory if there is none and takes it for a stack. Whoever is about to leave is waited for; a stack
 * that runs is not.
 * @throws StackError when it is taken or cannot be used
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

/** Takes the directory, or answers who has it. @throws StackError when it cannot be used */
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
    // On a full disk nobody is told: whoever waits then waits longer.
    sayStopping: () => writeFile(files.holder, 'stopping').catch(() => undefined),
    [Symbol.dispose]: () => letGo(lock, files.holder),
  };
}

/** @throws StackError where files of the directory cannot be written */
async function lockDirectory(directory: string, lockFile: string): Promise<Disposable | undefined> {
  try {
    // What the lock's library says of such a directory tells nobody what is wrong.
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
    // Before the lock: afterwards the file may already be the next holder's.
    writeFileSync(holderFile, 'nobody');
  } catch {
    // The next holder then takes this one for one that crashed, and waits for ports that are free.
  } finally {
    lock[Symbol.dispose]();
  }
}

async function readHolder(file: string): Promise<Holder> {
  const text = await readFile(file, 'utf8').catch(() => 'nobody');
  return (['stack', 'operator', 'stopping'] as const).find((holder) => holder === text) ?? 'nobody';
}

/** Makes the data directory unless it is there. @throws StackError when it cannot be used */
export async function makeDataDirectory(directory: string): Promise<void> {
  try {
    // The account of PostgreSQL may have to pass those above; the directory itself is opened to it where it must.
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
 * Takes from what earlier versions left in the data directory what other users of the machine may read. The directory
 * itself is the affair of `findClusterPlace`, and what lies under `media` that of the studio.
 */
export async function closeDataDirectory(directory: string): Promise<void> {
  const { logs, media, ...files } = filesOf(directory);
  for (const file of Object.values(files)) await setMode(file, privateFileMode);
  for (const folder of [logs, media]) await setMode(folder, privateDirectoryMode);
  for (const name of await readdir(logs).catch(() => []))
    await setMode(path.join(logs, name), privateFileMode);
}
