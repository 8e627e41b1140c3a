import { type Database, type Queryable, queryable } from './database.ts';

/**
 * Runs `work` while no other session has the lock of this name; undefined where one has it. The lock ends with the connection:
 * a killed process lets go of it, a paused one does not. The signal says that it was lost before the work was done. Statements
 * of the work belong on `session`, the connection that is held.
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
        // The database may have taken the lock all the same: it goes with the connection.
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
