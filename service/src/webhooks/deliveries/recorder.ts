import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { Mutex } from '@renderkit/server-kit/work/mutex.ts';
import { attemptDelaySeconds } from '../retry-schedule.ts';
import { type AttemptOutcome, type Claim, recordAttempts } from './store.ts';

export type Recorder = AsyncDisposable & {
  /** Resolves once the outcome is recorded, or the claim is no longer this process's. */
  record: (claim: Claim, outcome: AttemptOutcome) => Promise<void>;
};

type Result = { claim: Claim; outcome: AttemptOutcome };
type Recorded = 'recorded' | 'busy' | 'outdated';

const maxResultsPerStatement = 256;
/** An endpoint is locked briefly during a claim, or while an event is written for it. */
const maxBusyTries = 4;
const busyPauseMs = 10;
const initialPauseMs = 250;
const maxPauseMs = 5_000;

export type RecorderOptions = {
  database: Database;
  /** Runs a statement while no claim of this process runs: each would find the other's endpoints locked. */
  mutex: Mutex;
  /** Milliseconds for which results are gathered: a statement costs nearly the same for one as for a hundred. */
  gatherMs: () => number;
  log: Logger;
};

/**
 * Records results in batches, one statement for each batch. While the database is unavailable, retries again and again.
 * The function in `service/sql/functions/record_attempts.sql` decides the status of a delivery and when its next
 * attempt is due.
 */
export function createRecorder({ database, mutex, gatherMs, log }: RecorderOptions): Recorder {
  const stopping = new AbortController();
  const batched = (wait: boolean, maxSize: number) =>
    createBatcher<Result, Recorded>({
      run: async (results) => {
        const work = () => recordAttempts(database, results, { delaySeconds: attemptDelaySeconds, wait });
        const statuses = await (wait ? work() : mutex(work));
        return results.map(({ claim }) => {
          const status = statuses.get(claim.deliveryId);
          if (status === 'busy') return 'busy';
          return status === undefined ? 'outdated' : 'recorded';
        });
      },
      maxSize,
      maxInFlight: 1,
      isHopeless: isDatabaseUnavailable,
    });
  const add = batched(false, maxResultsPerStatement);
  // A statement with one result holds no other lock, so it may wait.
  const addWaiting = batched(true, 1);
  let moment: Promise<void> | undefined;
  const addWithRetries = async (result: Result): Promise<Recorded> => {
    await (moment ??= sleep(gatherMs()).finally(() => (moment = undefined)));
    for (let i = 0; i < maxBusyTries; i++) {
      const recorded = await add(result);
      if (recorded !== 'busy') return recorded;
      await sleep(busyPauseMs);
    }
    return addWaiting(result);
  };
  return {
    record: async (claim, outcome) => {
      for (let pauseMs = initialPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
        try {
          if ((await addWithRetries({ claim, outcome })) !== 'recorded')
            log.debug({ deliveryId: claim.deliveryId }, 'an attempt outlived its lease and was not recorded');
          return;
        } catch (error) {
          if (!isDatabaseUnavailable(error) && !isWorthRetrying(error)) throw error;
          if (stopping.signal.aborted) throw error;
          await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        }
      }
    },
    [Symbol.asyncDispose]: async () => stopping.abort(new Error('deliveries are stopping')),
  };
}
