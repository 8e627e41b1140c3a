import path from 'node:path';
import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import type { MediaAnswer, MediaJobName, MediaJobs } from './media-jobs.ts';
import { MediaToolError } from './media-tool-error.ts';
import { ask, createProcessPool } from './process-pool.ts';
import { watchProcess } from './watch-process.ts';

type Limits = { signal: AbortSignal; timeoutMs: number; maxMemoryBytes: number };

/** The library in the process could not read the file; the message is the library's. */
export class UnreadableMedia extends Error {
  override readonly name = 'UnreadableMedia';
}

/**
 * Limits for an image, for all jobs that decode. The largest accepted image (50 megapixels of 16 bits, interlaced) took
 * 918 MB and 2 s of a core.
 */
export const imageLimits = { timeoutMs: 60_000, maxMemoryBytes: 1200 * 1024 * 1024 };

/** Probing has its own slots and never waits for decoding: clients wait for probes, but not for decoding. */
const limiters = { probe: createLimiter({ slots: 4 }), decode: createLimiter({ slots: 2 }) };
/** One pool for the whole process, so that callers neither start a process each time nor pass a pool around. */
const pool = createProcessPool({
  module: path.join(import.meta.dirname, 'media-process.ts'),
  jobsPerProcess: 100,
  idleMs: 60_000,
  heapMegabytes: 256,
});

/**
 * Runs a job in an isolated process. Kills the process when it exceeds a limit.
 * @throws UnreadableMedia the file is at fault
 * @throws MediaToolError
 */
export async function runMediaJob<Name extends MediaJobName>(
  name: Name,
  question: MediaJobs[Name]['ask'],
  limits: Limits,
): Promise<MediaJobs[Name]['answer']> {
  const limiter = name === 'probe' || name === 'findFrame' ? limiters.probe : limiters.decode;
  using _ = await limiter.enter();
  if (limits.signal.aborted)
    throw new MediaToolError('aborted', 'The work was ended.', { cause: limits.signal.reason });
  return await converse(name, question, limits);
}

async function converse<Name extends MediaJobName>(
  name: Name,
  question: MediaJobs[Name]['ask'],
  limits: Limits,
): Promise<MediaJobs[Name]['answer']> {
  const taken = pool.take();
  using watch = watchProcess(taken.child, limits);
  const message = await ask<MediaAnswer>(taken.child, { name, ask: question });
  const verdict = watch.verdict();
  if (message === undefined || verdict !== undefined) {
    taken.child.kill('SIGKILL');
    throw verdict ?? new MediaToolError('failed', 'The process that handled the file broke.');
  }
  pool.giveBack(taken);
  if (message.type === 'out_of_space') throw new MediaToolError('out_of_space', message.message);
  if (message.type === 'unreadable') throw new UnreadableMedia(message.message);
  return message.answer as MediaJobs[Name]['answer'];
}
