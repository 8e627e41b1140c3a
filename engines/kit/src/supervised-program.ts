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
/** Milliseconds. A supervisor that has the lock of a folder begins within moments, unless the machine is blocked. */
const lockMs = 1_000;
const lookMs = 20;
const supervisorModule = join(import.meta.dirname, 'supervisor-process.ts');

/** A program, in the form that its supervisor reads. */
export interface Program {
  /** The program and its arguments. No shell is used. */
  readonly run: readonly string[];
  /** Its environment: these and `PATH`, nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** Its working folder. */
  readonly cwd: string;
}

export interface ProgramEnd {
  /** `null` where a signal ended the program, or the program did not begin. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Error code of the system where the program could not be started, such as ENOENT. */
  readonly error: string | null;
  readonly isStopped: boolean;
}

/** `lost`: its supervisor was killed. The program is then killed too, if it can be identified. */
export type ProgramState = 'absent' | 'running' | 'lost' | { readonly ended: ProgramEnd };

/** The files of a program's folder. The supervisor holds the lock while it lives. */
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
 * Starts a program that outlives the calling process. A separate supervisor runs the program and writes its outcome
 * into the folder. A folder runs one program once, even if several processes call this.
 * @throws EngineFailure where the supervisor does not begin in time: `sent` is `no` where it never will, `unknown`
 * where that is not certain. The signal's reason
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
  // An earlier start may have been withdrawn.
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
      // A process that has the lock may not have checked for the stop file yet. The stop file ends its program as soon
      // as the program runs.
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
 * Withdraws the start of a program that has not begun; its supervisor may still be starting. `withdrawn`: the program
 * never begins until `startProgram` is called again. `unknown`: another process has the lock but has not begun the
 * program.
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

/** Returns the environment of a program: `PATH` and its own variables. */
export function programEnvironment(own: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH } = mediaEnvironment();
  return { ...(PATH !== undefined && { PATH }), ...own };
}

/** Returns the state of the program of a folder. */
export async function readProgramState(folder: string): Promise<ProgramState> {
  if (!existsSync(join(folder, programFiles.begun))) return 'absent';
  const ended = await readEnd(folder);
  if (ended !== undefined) return { ended };
  const lock = tryLock(join(folder, programFiles.lock));
  if (lock === undefined) return 'running';
  lock[Symbol.dispose]();
  // The program may have ended just before the lock was released.
  const last = await readEnd(folder);
  if (last !== undefined) return { ended: last };
  await killLost(folder);
  return 'lost';
}

/**
 * Asks a program to end: SIGTERM to its whole group, and SIGKILL after five seconds. A program that has not begun will
 * never begin. `supervisor-process.ts` sends the signals.
 */
export async function stopProgram(folder: string): Promise<void> {
  await writeFile(join(folder, programFiles.stop), '');
}

async function readEnd(folder: string): Promise<ProgramEnd | undefined> {
  return (await readJson(join(folder, programFiles.ended))) as ProgramEnd | undefined;
}

/** Kills a program whose supervisor was killed. The process is identified by its id and its start time. */
async function killLost(folder: string): Promise<void> {
  const known = (await readJson(join(folder, programFiles.process))) as
    | { pid: number; began: string | null }
    | undefined;
  if (known?.began == null || (await processBegan(known.pid)) !== known.began) return;
  killGroup(known.pid, 'SIGKILL');
}

/**
 * Returns the start time of a process in the system's own format, so that a reused id is noticed; `null` where it is
 * unknown.
 */
export async function processBegan(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The process name, in parentheses, may contain any character; the time is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** Sends a signal to a program and to all processes of its group. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Writes JSON so that no reader ever sees a part of it. */
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
