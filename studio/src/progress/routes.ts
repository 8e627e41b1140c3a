import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Wakeups } from '../changes/watch-changes.ts';
import { createLongPoll } from '../http/long-poll.ts';
import type { Handlers } from '../http/register-operations.ts';
import { createTakenTimes } from './taken-times.ts';
import { watchProgress } from './watch-progress.ts';

export function progressRoutes(options: {
  database: Database;
  /** Notifications about renders whose progress changed. */
  progress: Wakeups;
  announce: { watch: (render: string) => void };
  clientId: string;
  stopping: AbortSignal;
}): Pick<Handlers, 'readProgress'> {
  const { database, progress: wakeups, announce, clientId: client, stopping } = options;
  const longPoll = createLongPoll(stopping);
  const taken = createTakenTimes(database);
  return {
    readProgress: ({ body, reply }) =>
      longPoll(reply, (signal) =>
        watchProgress(
          { database, wakeups, taken, announceWatch: announce.watch },
          { client, watched: body.renders, waitMs: body.wait_seconds * 1_000, signal },
        ),
      ),
  };
}
