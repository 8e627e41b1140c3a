import { webhookAttemptDelaySeconds } from '@renderkit/contract/v1/limits.ts';
import { createBatcher } from '@renderkit/server-kit/batching.ts';
import { type Database, isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/database.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttemptOutcome, type Claim, recordAttempts } from './store.ts';

export type Recorder = AsyncDisposable & {
  /** Resolves once it is recorded, or was not ours to record any more. */
  record: (claim: Claim, outcome: AttemptOutcome) => Promise<void>;
};

type Result = { claim: Claim; outcome: AttemptOutcome };
type Recorded = 'recorded' | 'busy' | 'outdated';

const resultsPerStatement = 128;
const statementsInFlight = 2;
const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** Records results, those of the moment in one statement, for as long as the database is away again and again. */
export function createRecorder({ database, log }: { database: Database; log: Logger }): Recorder {
  const stopping = new AbortController();
  const batched = (wait: boolean, maxSize: number) =>
    createBatcher<Result, Recorded>({
      run: async (results) => {
        const told = await recordAttempts(database, results, {
          delaySeconds: webhookAttemptDelaySeconds,
          wait,
        });
        return results.map(({ claim }) => {
          const status = told.get(claim.deliveryId);
          if (status === 'busy') return 'busy';
          return status === undefined ? 'outdated' : 'recorded';
        });
      },
      maxSize,
      maxInFlight: statementsInFlight,
      isHopeless: isDatabaseUnavailable,
    });
  const add = batched(false, resultsPerStatement);
  // Events are just being written for its endpoint: whoever holds nothing else may wait for that.
  const addWaiting = batched(true, 1);
  return {
    record: async (claim, outcome) => {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        try {
          let recorded = await add({ claim, outcome });
          if (recorded === 'busy') recorded = await addWaiting({ claim, outcome });
          if (recorded !== 'recorded')
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
