import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { type Claim, type Release, releaseGenerations } from './store.ts';
import { submitOnce, type SubmitOptions } from './submit.ts';
import type { WokenAccounts } from './woken-accounts.ts';

export type ResubmitOptions = SubmitOptions & {
  wokenAccounts: Pick<WokenAccounts, 'wakeAfter'>;
  /** First pause before a submit whose outcome is unknown is sent again; it doubles up to 30 s. Default 1,000 ms. */
  retryMs?: number | undefined;
};

const releasesPerStatement = 64;
const statementsInFlight = 1;
const maxRetryMs = 30_000;

/**
 * Makes the function that submits a claim until its outcome is known. A lost answer is found by the token: the same
 * submit is sent again, here after a pause, and after a crash by whoever claims the generation once its lease has run
 * out. The studio answers a token that it knows with the render that it made of it. It ends when the claim is the
 * process's no more: made or failed, back in the queue, or, when stopping, left to its lease.
 */
export function createResubmit(options: ResubmitOptions) {
  const release = createBatcher<Release, number | undefined>({
    run: async (releases) => {
      const released = await releaseGenerations(options.database, releases);
      const waits = new Map(released.map((row) => [row.id, row.wait_ms ?? 0]));
      return releases.map(({ id }) => waits.get(id));
    },
    maxSize: releasesPerStatement,
    maxInFlight: statementsInFlight,
    isHopeless: isDatabaseUnavailable,
  });

  return async (claim: Claim, stopping: AbortSignal): Promise<void> => {
    await options.crashPoint?.('submit-claimed');
    let current = claim;
    for (let tries = 0; !stopping.aborted; tries++) {
      const result = await submitOnce(options, current);
      if (result.kind === 'done') return;
      if (result.kind === 'release') {
        const waitMs = await release({
          id: claim.id,
          accountId: claim.accountId,
          attempt: claim.attempt,
          unsent: !current.sentBefore,
          retryAfterMs: result.retryAfterMs,
        });
        if (waitMs !== undefined) options.wokenAccounts.wakeAfter(claim.accountId, waitMs);
        return;
      }
      options.log.warn(
        { generationId: claim.id, tries, err: result.cause },
        'the outcome of a submit is not known; it is sent again',
      );
      current = { ...current, sentBefore: true };
      const pauseMs = Math.min(maxRetryMs, (options.retryMs ?? 1_000) * 2 ** Math.min(tries, 10));
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal: stopping }).catch(
        () => undefined,
      );
    }
  };
}
