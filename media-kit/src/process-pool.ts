import { type ChildProcess, fork } from 'node:child_process';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { ffmpegPath, mediaEnvironment } from './config.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';
import { lowerPriority } from './watch-process.ts';

export type PooledProcess = { child: ChildProcess; jobs: number };

export type PoolOptions = {
  /** Path of the module that each process runs. */
  module: string;
  /**
   * Limit for JavaScript's memory; the memory of libraries is limited for each job (`watch-process.ts`). `undefined`:
   * Node's default.
   */
  heapMegabytes?: number;
  /** Further options for Node. */
  nodeOptions?: readonly string[];
  /** A process is replaced after this many jobs, whatever its state. `undefined`: never. */
  jobsPerProcess?: number;
  /**
   * Milliseconds that a process waits for its next job. An idle process does not keep this process alive, and ends with
   * it. `undefined`: it waits until the pool is closed.
   */
  idleMs?: number;
  /** Whether each process has a temporary directory, its first argument, which is removed however the process ends. */
  hasScratch?: boolean;
  /** Whether the output of the processes is shown. */
  prints?: boolean;
};

/**
 * Processes that do one job at a time. Closing the pool kills all of them, and resolves when they and their directories
 * are gone.
 */
export type ProcessPool = AsyncDisposable & {
  /** Returns an idle process or a new one. The caller must give it back or kill it. */
  take: () => PooledProcess;
  giveBack: (process: PooledProcess) => void;
};

/**
 * Creates a pool without processes. Each process starts on demand, and gets no secrets, because it reads untrusted
 * files.
 */
export function createProcessPool(options: PoolOptions): ProcessPool {
  const { jobsPerProcess = Number.POSITIVE_INFINITY, idleMs } = options;
  const idle: (PooledProcess & { timer: NodeJS.Timeout | undefined })[] = [];
  const all = new Map<ChildProcess, Promise<void>>();
  const start = () => {
    const { child, gone } = startProcess(options);
    all.set(
      child,
      gone.finally(() => all.delete(child)),
    );
    return { child, jobs: 0 };
  };
  return {
    take: () => {
      for (let waiting = idle.pop(); waiting !== undefined; waiting = idle.pop()) {
        const { child, jobs, timer } = waiting;
        clearTimeout(timer);
        if (!child.connected) continue;
        child.ref();
        child.channel?.ref();
        return { child, jobs };
      }
      return start();
    },
    giveBack: ({ child, jobs }) => {
      if (jobs + 1 >= jobsPerProcess || !child.connected) {
        child.kill('SIGKILL');
        return;
      }
      const end = () => {
        idle.splice(idle.indexOf(waiting), 1);
        child.kill('SIGKILL');
      };
      const timer = idleMs === undefined ? undefined : setTimeout(() => end(), idleMs).unref();
      const waiting = { child, jobs: jobs + 1, timer };
      if (idleMs !== undefined) {
        child.unref();
        child.channel?.unref();
      }
      idle.push(waiting);
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of all.keys()) child.kill('SIGKILL');
      await Promise.all(all.values());
    },
  };
}

/** Starts a process. `gone` resolves once the process has ended and its directory is removed. */
function startProcess(options: PoolOptions): { child: ChildProcess; gone: Promise<void> } {
  const { heapMegabytes, nodeOptions = [], hasScratch = false, prints = false } = options;
  const scratch = hasScratch ? makeTemporaryDirectory() : undefined;
  const output = prints ? 'inherit' : 'ignore';
  const child = fork(programFile(options.module), scratch === undefined ? [] : [scratch.path], {
    env: { ...mediaEnvironment(), ...(scratch && environmentIn(scratch.path)) },
    execArgv: [
      ...(heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]),
      ...nodeOptions,
    ],
    serialization: 'advanced',
    stdio: ['ignore', output, output, 'ipc'],
  });
  // A broken idle process is ignored; a job has its own listeners for errors.
  child.on('error', () => undefined);
  lowerPriority(child);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // A directory that could not be removed stays until this process ends and another process removes it.
  const gone = exited.then(() => scratch?.[Symbol.asyncDispose]().catch(() => undefined));
  return { child, gone };
}

/** Makes a process put its temporary files into its own directory. */
function environmentIn(scratch: string): NodeJS.ProcessEnv {
  const ffmpeg = ffmpegPath();
  return { TMPDIR: scratch, TEMP: scratch, ...(ffmpeg !== undefined && { FFMPEG_PATH: ffmpeg }) };
}

/** Sends one message to a process and waits for its answer; returns `undefined` when the process broke before. */
export async function ask<Answer>(child: ChildProcess, message: object): Promise<Answer | undefined> {
  let broke: () => void = () => undefined;
  const answer = await new Promise<Answer | undefined>((resolve) => {
    broke = () => resolve(undefined);
    child.once('message', (received) => resolve(received as Answer));
    child.once('exit', broke).once('error', broke);
    child.send(message, (error) => error && broke());
  });
  child.off('exit', broke).off('error', broke);
  return answer;
}
