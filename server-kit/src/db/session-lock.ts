import { type Database, type Queryable, queryable } from './database.ts';

/**
 * Runs `work` while this session holds the lock with this name. Returns `undefined` when another session holds the
 * lock. The lock ends with the connection: a killed process releases it, a paused process does not. The signal `lost`
 * aborts when the connection breaks before the work is done. `work` must run its statements on `session`, the
 * connection that holds the lock.
 */
export async function withSessionLock<T>(
  { pool }: Database,
  name: string,
  work: (session: Queryable, lost: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const client = await pool.connect();
  const lost = new AbortController();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
    lost.abort(error);
  };
  client.on('error', onError);
  try {
    const session = queryable(client);
    const key = 'hashtextextended($1, 0)';
    const [row] = await session
      .rows<{ taken: boolean }>(`select pg_try_advisory_lock(${key}) as taken`, [name])
      .catch((error: Error) => {
        // The database may have taken the lock nevertheless. Closing the connection releases the lock.
        broken ??= error;
        throw error;
      });
    if (row?.taken !== true) return undefined;
    try {
      return await work(session, lost.signal);
    } finally {
      await session
        .rows(`select pg_advisory_unlock(${key})`, [name])
        .catch((error: Error) => (broken ??= error));
    }
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
