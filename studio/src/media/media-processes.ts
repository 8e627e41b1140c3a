import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { mediaEnvironment } from './config.ts';
import type { MediaAnswer, MediaJobName, MediaJobs } from './media-jobs.ts';
import { MediaToolError } from './media-tool-error.ts';
import { lowerPriority, watchProcess } from './watch-process.ts';

type Limits = { signal: AbortSignal; timeoutMs: number; maxMemoryBytes: number };

/** A file that the library in the process could not read; the message is the library's. */
export class UnreadableMedia extends Error {
  override readonly name = 'UnreadableMedia';
}

/**
 * What a picture may take, for every job but the reading of structure. The worst that is taken (50 megapixels of 16
 * bits, interlaced) took 918 MB and 2 s of a core.
 */
export const pictureLimits = { timeoutMs: 60_000, maxMemoryBytes: 1200 * 1024 * 1024 };

/** Reading structure never waits for decoding: a client waits for the one, and nobody for the other. */
const lanes = { probe: createLane(4), decode: createLane(2) };
/** A process is replaced after so many jobs, whatever state they left it in. */
const jobsPerProcess = 200;
const idleMs = 60_000;
const heapMegabytes = 256;

type Idle = { child: ChildProcess; jobs: number; timer: NodeJS.Timeout };
/**
 * Processes that wait for their next job, for a minute. They belong to this process as a whole: an upload should not
 * pay for a start, nor each caller carry a pool about. They keep nobody from ending and end with it.
 */
const idle: Idle[] = [];

/**
 * Has a process that can come to no harm do the job. It is killed when it goes beyond a limit.
 * @throws UnreadableMedia the file is at fault
 * @throws MediaToolError
 */
export async function runMediaJob<Name extends MediaJobName>(
  name: Name,
  ask: MediaJobs[Name]['ask'],
  limits: Limits,
): Promise<MediaJobs[Name]['answer']> {
  const lane = name === 'probe' || name === 'findFrame' ? lanes.probe : lanes.decode;
  await lane.take();
  try {
    if (limits.signal.aborted)
      throw new MediaToolError('aborted', 'The work was ended.', { cause: limits.signal.reason });
    return await converse(name, ask, limits);
  } finally {
    lane.give();
  }
}

async function converse<Name extends MediaJobName>(
  name: Name,
  ask: MediaJobs[Name]['ask'],
  limits: Limits,
): Promise<MediaJobs[Name]['answer']> {
  const { child, jobs } = takeProcess();
  using watch = watchProcess(child, limits);
  let end: (answer?: MediaAnswer) => void = () => undefined;
  const broke = () => end();
  const message = await new Promise<MediaAnswer | undefined>((resolve) => {
    end = resolve;
    child.once('message', (told) => resolve(told as MediaAnswer));
    child.once('exit', broke).once('error', broke);
    child.send({ name, ask }, (error) => error && broke());
  });
  child.off('exit', broke).off('error', broke);
  const verdict = watch.verdict();
  if (message === undefined || verdict !== undefined) {
    child.kill('SIGKILL');
    throw verdict ?? new MediaToolError('failed', 'The process that handled the file broke.');
  }
  giveBack(child, jobs + 1);
  if (message.type === 'unreadable') throw new UnreadableMedia(message.message);
  return message.answer as MediaJobs[Name]['answer'];
}

function takeProcess(): { child: ChildProcess; jobs: number } {
  for (let waiting = idle.pop(); waiting !== undefined; waiting = idle.pop()) {
    clearTimeout(waiting.timer);
    if (!waiting.child.connected) continue;
    waiting.child.ref();
    waiting.child.channel?.ref();
    return waiting;
  }
  const child = fork(path.join(import.meta.dirname, 'media-process.ts'), [], {
    env: mediaEnvironment(),
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // An idle one that breaks is simply forgotten; a job hears of it by listeners of its own.
  child.on('error', () => undefined);
  lowerPriority(child);
  return { child, jobs: 0 };
}

function giveBack(child: ChildProcess, jobs: number): void {
  if (jobs >= jobsPerProcess || !child.connected) {
    child.kill('SIGKILL');
    return;
  }
  child.unref();
  child.channel?.unref();
  const timer = setTimeout(() => {
    idle.splice(
      idle.findIndex((one) => one.child === child),
      1,
    );
    child.kill('SIGKILL');
  }, idleMs).unref();
  idle.push({ child, jobs, timer });
}

function createLane(atOnce: number): { take: () => Promise<void>; give: () => void } {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return {
    take: async () => {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give: () => {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}
