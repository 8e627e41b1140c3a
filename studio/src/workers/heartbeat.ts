import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { countAlive, deleteSilentWorkers, deleteWorker, writeBeat } from './store.ts';

const beatEveryMs = 3_000;
/**
 * Three beats that did not come. Workers are counted by it for metrics, readiness and samples; `queue_reason` in SQL has the same
 * number. Nothing is taken over by it: that is the lease in `renders/start-claims.ts`.
 */
const aliveSeconds = 10;
const forgottenSeconds = 60 * 60;

/**
 * Says that this worker process lives, the first time before it resolves, then every few seconds. Disposing takes it
 * back, so that a worker that stopped in order is missed at once.
 */
export async function startHeartbeat(database: Database, log: Logger): Promise<AsyncDisposable> {
  const worker = newId('wrk_');
  await writeBeat(database, worker);
  const loop = startLoop({
    name: 'heartbeat',
    everyMs: beatEveryMs,
    // Once the database is back, the worker should not be missed for longer than it was away.
    maxPauseMs: beatEveryMs,
    run: () => writeBeat(database, worker),
    log,
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]();
      await deleteWorker(database, worker).catch(() => undefined);
    },
  };
}

/** Worker processes, on whatever machine, that were heard of within the last seconds. */
export function countLiveWorkers(database: Database): Promise<number> {
  return countAlive(database, aliveSeconds);
}

/** Removes the rows of workers that were killed. Returns how many. */
export function forgetSilentWorkers(database: Database): Promise<number> {
  return deleteSilentWorkers(database, forgottenSeconds);
}
