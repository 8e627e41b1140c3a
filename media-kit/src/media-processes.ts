import path from 'node:path';
import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import type { MediaAnswer, MediaJobName, MediaJobs } from './media-jobs.ts';
import { MediaToolError } from './media-tool-error.ts';
import { ask, createProcessPool } from './process-pool.ts';
import { watchProcess } from './watch-process.ts';

type Limits = { signal: AbortSignal; timeoutMs: number; maxMemoryBytes: number };

/** A file that the library in the process could not read; the message is the library's. */
export class UnreadableMedia extends Error {
  override readonly name = 'UnreadableMedia';
}

/**
 * What an image may take, for every job but the reading of structure. The worst that is taken (50 megapixels of 16
 * bits, interlaced) took 918 MB and 2 s of a core.
 */
export const imageLimits = { timeoutMs: 60_000, maxMemoryBytes: 1200 * 1024 * 1024 };

/** Reading structure never waits for decoding: a client waits for the one, and nobody for the other. */
const limiters = { probe: createLimiter({ slots: 4 }), decode: createLimiter({ slots: 2 }) };
/** They belong to this process as a whole: nobody should pay for a start each time, nor carry a pool about. */
const pool = createProcessPool({
  module: path.join(import.meta.dirname, 'media-process.ts'),
  jobsPerProcess: 100,
  idleMs: 60_000,
  heapMegabytes: 256,
});

/**
 * Has a process that can come to no harm do the job. It is killed when it goes beyond a limit.
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
