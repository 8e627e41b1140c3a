import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createPollCounter, type Wakeups } from '../changes/watch-changes.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../http/register-operations.ts';
import { createTakenTimes } from './taken-times.ts';
import { watchProgress } from './watch-progress.ts';

export function progressRoutes(options: {
  database: Database;
  /** Of renders whose progress moved. */
  progress: Wakeups;
  announce: { watch: (render: string) => void };
  clientId: string;
  stopping: AbortSignal;
}): Pick<Handlers, 'readProgress'> {
  const { database, progress: wakeups, announce, clientId: client, stopping } = options;
  const polls = createPollCounter();
  const taken = createTakenTimes(database);
  return {
    readProgress: async ({ body, reply }) => {
      const leave = polls.enter();
      if (leave === undefined)
        throw new StudioError('overloaded', 'Too many long polls are open.', { retryAfterSeconds: 1 });
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      try {
        return await watchProgress(
          { database, wakeups, taken, announceWatch: announce.watch },
          {
            client,
            watched: body.renders,
            waitMs: body.wait_seconds * 1_000,
            signal: AbortSignal.any([gone.signal, stopping]),
          },
        );
      } finally {
        leave();
      }
    },
  };
}
