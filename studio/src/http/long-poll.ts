import type { FastifyReply } from 'fastify';
import { StudioError } from '../errors.ts';

const maxOpen = 1_000;

/**
 * Answers with the result of a call that waits. The signal is aborted when the client goes or the server stops. @throws
 * StudioError `overloaded`
 */
export type LongPoll = <T>(reply: FastifyReply, wait: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Limits the number of open long polls of one operation in this process. `wait_seconds` in `contract/studio/changes.ts`
 * and `contract/studio/progress.ts` limits how long one waits.
 */
export function createLongPoll(stopping: AbortSignal): LongPoll {
  let open = 0;
  return async (reply, wait) => {
    if (open >= maxOpen)
      throw new StudioError('overloaded', 'Too many long polls are open.', { retryAfterSeconds: 1 });
    open++;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    try {
      return await wait(AbortSignal.any([gone.signal, stopping]));
    } finally {
      open--;
    }
  };
}
