import { randomInt } from 'node:crypto';
import type { Logger } from '../process/logger.ts';
import { keepConnection } from './keep-connection.ts';

/** Shows others that this process lives, at once and not by a lease. */
export type Presence = AsyncDisposable & {
  /** Of the advisory lock that a session of this process holds; undefined while it holds none. */
  readonly key: number | undefined;
};

/** The most that `randomInt` takes; far below 2^53, as all integers are that we read. */
const keysBelow = 2 ** 48 - 1;

/** A machine that is gone is noticed within six seconds; a try for the lock that a broken session still has ends after five. */
const sessionSettings = `set lock_timeout = '5s'; set idle_session_timeout = 0;
  set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2`;

/**
 * Holds an advisory lock until disposed, by the same key again after a connection was lost. The lock goes with its session, and
 * that with the process, at once when it is killed. One that is not there says little, for a session can break while its
 * process lives; behind a pooler one may outlive its process. So neither a lock that is there nor one that is not is enough to take work away from a process.
 */
export function keepPresence({ url, log }: { url: string; log: Logger }): Presence {
  const key = randomInt(keysBelow);
  let isHeld = false;
  const connection = keepConnection({
    url,
    applicationName: 'presence',
    log,
    prepare: async (client) => {
      await client.query(sessionSettings);
      // Waits while a broken session of ours has not ended in the database.
      await client.query('select pg_advisory_lock($1)', [key]);
      isHeld = true;
    },
    onLost: () => (isHeld = false),
  });
  return {
    get key() {
      return isHeld ? key : undefined;
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
