import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { mediaEnvironment } from './config.ts';
import { lowerPriority } from './watch-process.ts';

export type PooledProcess = { child: ChildProcess; jobs: number };

export type ProcessPool = {
  /** One that waits, or a new one. Whoever took it gives it back or kills it. */
  take: () => PooledProcess;
  giveBack: (process: PooledProcess) => void;
};

/** A process is replaced after so many jobs, whatever state they left it in. */
const jobsPerProcess = 100;
const idleMs = 60_000;
/** Of JavaScript; what libraries take apart from that is limited for each job. */
const heapMegabytes = 256;

/**
 * Processes that do one job at a time and wait for the next one for a minute. They belong to this process as a whole:
 * nobody should pay for a start each time, nor carry a pool about. They keep nobody from ending and end with it.
 * @param file the module they run, in this room
 */
export function createProcessPool(file: string): ProcessPool {
  const idle: (PooledProcess & { timer: NodeJS.Timeout })[] = [];
  const start = () => {
    const child = fork(path.join(import.meta.dirname, file), [], {
      env: mediaEnvironment(),
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // An idle one that breaks is simply forgotten; a job hears of it by listeners of its own.
    child.on('error', () => undefined);
    lowerPriority(child);
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
      child.unref();
      child.channel?.unref();
      const waiting = { child, jobs: jobs + 1, timer: setTimeout(() => end(), idleMs).unref() };
      const end = () => {
        idle.splice(idle.indexOf(waiting), 1);
        child.kill('SIGKILL');
      };
      idle.push(waiting);
    },
  };
}

/** Says one thing to a process and waits for its answer; undefined when it broke before. */
export async function ask<Answer>(child: ChildProcess, message: object): Promise<Answer | undefined> {
  let broke: () => void = () => undefined;
  const answer = await new Promise<Answer | undefined>((resolve) => {
    broke = () => resolve(undefined);
    child.once('message', (told) => resolve(told as Answer));
    child.once('exit', broke).once('error', broke);
    child.send(message, (error) => error && broke());
  });
  child.off('exit', broke).off('error', broke);
  return answer;
}
