import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mediaEnvironment } from '@renderkit/media-kit/config.ts';
import { takeLock, tryLock } from '@renderkit/server-kit/files/file-lock.ts';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { EngineFailure } from './driver.ts';

const beginMs = 15_000;
/** A supervisor that has the lock of a folder begins within moments, unless the machine stands still. */
const lockMs = 1_000;
const lookMs = 20;
const supervisorModule = join(import.meta.dirname, 'supervisor-process.ts');

/** What is run, as its supervisor reads it. */
export interface Program {
  /** The program and its arguments. No shell sees them. */
  readonly run: readonly string[];
  /** Its environment: these and `PATH`, nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** Its working folder. */
  readonly cwd: string;
}

export interface ProgramEnd {
  /** Null where a signal ended it, or it did not begin. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Code of the system where it could not be begun, such as ENOENT. */
  readonly error: string | null;
  readonly isStopped: boolean;
}

/** `lost`: its supervisor was killed, and the program with it as far as that can be done. */
export type ProgramState = 'absent' | 'running' | 'lost' | { readonly ended: ProgramEnd };

/** The files of a program's folder. The lock is held as long as its supervisor lives. */
export const programFiles = {
  program: 'program.json',
  lock: 'lock',
  begun: 'begun',
  process: 'process.json',
  stderr: 'stderr',
  stop: 'stop',
  ended: 'ended.json',
} as const;

/**
 * Starts a program that outlives the process which asks for it, under a supervisor of its own that keeps in the folder what
 * becomes of it. A folder runs one program, once, however often and by whomever this is called.
 * @throws EngineFailure where the supervisor does not begin in time: `sent` is `no` where it never will, `unknown` where that can
 * not be said. The signal's reason
 */
export async function startProgram(
  folder: string,
  program: Program,
  signal: AbortSignal,
  /** For tests: shorter times, in milliseconds. */
  times: { readonly beginMs?: number; readonly lockMs?: number } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (existsSync(join(folder, programFiles.begun))) return;
  // A start before this one may have been taken back.
  await rm(join(folder, programFiles.stop), { force: true });
  await writeWhole(join(folder, programFiles.program), program);
  const supervisor = spawn(process.execPath, [programFile(supervisorModule), folder], {
    detached: true,
    stdio: 'ignore',
    env: mediaEnvironment(),
  });
  supervisor.unref();
  let failure: Error | undefined;
  supervisor.once('error', (error) => (failure = error));
  const deadline = performance.now() + (times.beginMs ?? beginMs);
  while (!existsSync(join(folder, programFiles.begun))) {
    if (failure !== undefined || performance.now() > deadline) {
      const state = await withdrawProgram(folder, times.lockMs);
      if (state === 'begun') return;
      // Whoever has the lock may not have come to look: then the program is stopped as soon as it runs.
      if (state === 'unknown') await stopProgram(folder);
      throw notBegun(failure, state === 'withdrawn' ? 'no' : 'unknown');
    }
    await sleep(lookMs, undefined, { signal });
  }
}

function notBegun(cause: Error | undefined, sent: 'no' | 'unknown'): EngineFailure {
  const message = cause === undefined ? 'A program was not begun in time.' : 'A program could not be begun.';
  return new EngineFailure(message, { blame: 'backend', code: 'engine_unavailable', sent, cause });
}

/**
 * Takes the start of a program back, unless it has begun: its supervisor may still be on its way. `withdrawn`: it never begins, until
 * somebody starts it again. `unknown`: somebody has the lock and has not begun it yet.
 */
export async function withdrawProgram(
  folder: string,
  waitMs = lockMs,
): Promise<'begun' | 'withdrawn' | 'unknown'> {
  const hasBegun = () => existsSync(join(folder, programFiles.begun));
  if (hasBegun()) return 'begun';
  await mkdir(folder, { recursive: true, mode: 0o700 });
  using lock = await takeLock(join(folder, programFiles.lock), { waitMs });
  if (hasBegun()) return 'begun';
  if (lock === undefined) return 'unknown';
  await stopProgram(folder);
  return 'withdrawn';
}

/** The environment of a program: where programs are found, and what is its own. */
export function programEnvironment(own: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH } = mediaEnvironment();
  return { ...(PATH !== undefined && { PATH }), ...own };
}

/** What becomes of the program of a folder. */
export async function readProgramState(folder: string): Promise<ProgramState> {
  if (!existsSync(join(folder, programFiles.begun))) return 'absent';
  const ended = await readEnd(folder);
  if (ended !== undefined) return { ended };
  const lock = tryLock(join(folder, programFiles.lock));
  if (lock === undefined) return 'running';
  lock[Symbol.dispose]();
  // It may have ended just before the lock was free.
  const last = await readEnd(folder);
  if (last !== undefined) return { ended: last };
  await killLost(folder);
  return 'lost';
}

/** Asks a program to end: SIGTERM, and after five seconds SIGKILL, to its whole group. One that has not begun never does. */
export async function stopProgram(folder: string): Promise<void> {
  await writeFile(join(folder, programFiles.stop), '');
}

async function readEnd(folder: string): Promise<ProgramEnd | undefined> {
  return (await readJson(join(folder, programFiles.ended))) as ProgramEnd | undefined;
}

/** A program whose supervisor was killed has nobody to end it: it is known by its id and the time that it began. */
async function killLost(folder: string): Promise<void> {
  const known = (await readJson(join(folder, programFiles.process))) as
    | { pid: number; began: string | null }
    | undefined;
  if (known?.began == null || (await processBegan(known.pid)) !== known.began) return;
  killGroup(known.pid, 'SIGKILL');
}

/** When a process began, in the system's own words, so that its id is not taken for another's; null where nothing says so. */
export async function processBegan(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name, in brackets, may hold anything; the time is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** Signals a program and all that it started. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Writes JSON so that nobody ever reads half of it. */
export async function writeWhole(path: string, value: unknown): Promise<void> {
  const half = `${path}.${randomUUID()}`;
  await writeFile(half, JSON.stringify(value), { mode: 0o600 });
  await rename(half, path);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
