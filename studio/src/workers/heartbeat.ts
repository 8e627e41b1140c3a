import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { countAlive, deleteSilentWorkers, deleteWorker, writeBeat } from './store.ts';

const beatEveryMs = 3_000;
/**
 * Three missed beats. Metrics, readiness and samples count workers by this limit; `queue_reason` in SQL has the same
 * number. It does not decide when renders are taken over: that is the lease in `renders/start-claims.ts`.
 */
const aliveSeconds = 10;
const forgottenSeconds = 60 * 60;

/**
 * Reports that this worker process is alive: first before this resolves, then every few seconds. Disposing deletes the
 * report, so that a worker that stopped in order is no longer counted.
 */
export async function startHeartbeat(database: Database, log: Logger): Promise<AsyncDisposable> {
  const worker = newId('wrk_');
  await writeBeat(database, worker);
  const loop = startLoop({
    name: 'heartbeat',
    everyMs: beatEveryMs,
    // When the database is back, the worker must be counted again soon.
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

/** Counts worker processes, on all machines, that reported within the last seconds. */
export function countLiveWorkers(database: Database): Promise<number> {
  return countAlive(database, aliveSeconds);
}

/** Removes the rows of workers that were killed. Returns how many. */
export function forgetSilentWorkers(database: Database): Promise<number> {
  return deleteSilentWorkers(database, forgottenSeconds);
}
