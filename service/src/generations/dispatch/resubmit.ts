import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { type Claim, type Release, releaseGenerations } from './store.ts';
import { submitOnce, type SubmitOptions } from './submit.ts';
import type { WokenAccounts } from './woken-accounts.ts';

export type ResubmitOptions = SubmitOptions & {
  wokenAccounts: Pick<WokenAccounts, 'wakeAfter'>;
  /** The first pause before a submit with an unknown outcome is repeated. Doubles up to 30 s. Default 1,000 ms. */
  retryMs?: number | undefined;
};

const releasesPerStatement = 64;
const statementsInFlight = 1;
const maxRetryMs = 30_000;

/**
 * Returns a function that submits a claim until its outcome is known. When an answer is lost, the same submit is sent
 * again with the same token. Here this happens after a pause; after a crash the next claimer sends it, once the lease
 * has expired. For a token that the studio knows, it answers with the render that it made. The function returns when
 * the render is recorded, the generation failed, or the claim is back in the queue. When the process stops, it leaves
 * the claim to its lease.
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
