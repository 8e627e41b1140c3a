import { type ChildProcess, fork } from 'node:child_process';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { ffmpegPath, mediaEnvironment } from './config.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';
import { lowerPriority } from './watch-process.ts';

export type PooledProcess = { child: ChildProcess; jobs: number };

export type PoolOptions = {
  /** Path of the module that each process runs. */
  module: string;
  /** Of JavaScript; what libraries take apart from that is limited for each job. Undefined: as Node chooses. */
  heapMegabytes?: number;
  /** What else Node is started with. */
  nodeOptions?: readonly string[];
  /** A process is replaced after so many jobs, whatever state they left it in. Undefined: never. */
  jobsPerProcess?: number;
  /**
   * How long a process waits for its next job. One that does keeps this process from nothing, and ends with it.
   * Undefined: until the pool is closed.
   */
  idleMs?: number;
  /** Whether each process has a temporary directory, its first argument, which goes with it however it ends. */
  hasScratch?: boolean;
  /** Whether what the processes print is shown. */
  prints?: boolean;
};

/** Processes that do one job at a time. Closing kills all of them, and ends when nothing of them is left. */
export type ProcessPool = AsyncDisposable & {
  /** One that waits, or a new one. Whoever took it gives it back or kills it. */
  take: () => PooledProcess;
  giveBack: (process: PooledProcess) => void;
};

/** A pool without a process: each starts when it is needed, and sees no secrets, for it reads foreign files. */
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

/** `gone` resolves once the process has ended and its directory is removed. */
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
  // An idle one that breaks is simply forgotten; a job hears of it by listeners of its own.
  child.on('error', () => undefined);
  lowerPriority(child);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // A directory left behind is only in the way until this process ends and another removes it.
  const gone = exited.then(() => scratch?.[Symbol.asyncDispose]().catch(() => undefined));
  return { child, gone };
}

/** What is temporary to a process lies in its directory. */
function environmentIn(scratch: string): NodeJS.ProcessEnv {
  const ffmpeg = ffmpegPath();
  return { TMPDIR: scratch, TEMP: scratch, ...(ffmpeg !== undefined && { FFMPEG_PATH: ffmpeg }) };
}

/** Says one thing to a process and waits for its answer; undefined when it broke before. */
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
