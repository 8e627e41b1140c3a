import { randomInt } from 'node:crypto';
import type { Logger } from '../process/logger.ts';
import { keepConnection } from './keep-connection.ts';

/** Shows other processes that this process is alive: immediately, without the delay of a lease. */
export type Presence = AsyncDisposable & {
  /** The key of the advisory lock that a session of this process holds; `undefined` while no session holds it. */
  readonly key: number | undefined;
};

/** The largest limit that `randomInt` accepts. It is far below 2^53, like all integers that we read. */
const keysBelow = 2 ** 48 - 1;

/**
 * The database detects a lost machine within six seconds. An attempt to take a lock that a broken session still holds
 * ends after five.
 */
const sessionSettings = `set lock_timeout = '5s'; set idle_session_timeout = 0;
  set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2`;

/**
 * Holds an advisory lock until disposed. After a lost connection, takes the lock again with the same key. The lock ends
 * with its session, and the session ends with the process, immediately when the process is killed.
 *
 * A missing lock does not prove that the process is dead, because a session can break while its process lives. A held
 * lock does not prove that the process is alive, because behind a pooler a session may outlive its process. So neither
 * is enough to take work away from a process. `service/sql/functions/hold_facade_call.sql` reads the locks.
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
      // Waits until the database has ended an earlier, broken session of this process.
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
