import { maxLongPollsPerProcess } from '@renderkit/contract/v1/limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { readSettledSince, readUnusableKeys } from '../reads/store.ts';
import { createAwaitGeneration } from './await-generation.ts';
import { Waiter } from './waiter.ts';
import { createWaiters } from './waiters.ts';

export type LongPolls = AsyncDisposable & {
  /**
   * The text of the generation as it stands when it is final, or the time is up, or the service stops (`closing`).
   * @throws ApiProblem `not_found`; `unauthorized` once the key is revoked; `rate_limited` where too many wait
   */
  wait: (asked: {
    id: string;
    accountId: string;
    keyId: string;
    seconds: number;
    gone: () => AbortSignal;
  }) => Promise<{ text: string; closing: boolean }>;
  /** These generations reached their last status; whoever has their texts at hand spares the polls a read. */
  wake: (ids: readonly string[], texts?: readonly (string | undefined)[]) => void;
  /** These keys let nobody in any more. */
  revoke: (keyIds: readonly string[]) => void;
  /** Looks at once for what was missed: notifications may have been lost. */
  lookNow: () => void;
  readonly open: number;
};

const fullRetrySeconds = 5;

/** Holds requests until their generation has finished. No database connection is held meanwhile. */
export function startLongPolls(options: {
  database: Database;
  log: Logger;
  /** Default 20,000. */
  most?: number | undefined;
  /** How often it looks for what no notification told of. Default 1,000. */
  floorMs?: number | undefined;
}): LongPolls {
  const { database } = options;
  const most = options.most ?? maxLongPollsPerProcess;
  const waiters = createWaiters();
  let closing = false;
  const awaitGeneration = createAwaitGeneration(database);
  let lastLook: string | undefined;
  const floor = startLoop({
    name: 'long poll floor',
    everyMs: options.floorMs ?? 1_000,
    log: options.log,
    run: async () => {
      if (waiters.count === 0) return void (lastLook = undefined);
      const settled = await readSettledSince(database, lastLook);
      lastLook = settled.at;
      waiters.wake(settled.ids);
      waiters.revoke(await readUnusableKeys(database, waiters.keyIds()));
    },
  });
  return {
    wait: async ({ seconds, gone, ...asked }) => {
      if (waiters.count >= most)
        throw new ApiProblem('rate_limited', {
          detail: 'Too many requests wait for generations just now.',
          retryAfterSeconds: fullRetrySeconds,
        });
      // Registered before it reads: what settles in between wakes it.
      const waiter = new Waiter(asked.keyId, seconds * 1_000);
      waiters.add(asked.id, waiter);
      if (closing) waiter.giveUp();
      try {
        return { text: await awaitGeneration(asked, waiter, gone), closing };
      } finally {
        waiters.remove(asked.id, waiter);
      }
    },
    wake: waiters.wake,
    revoke: waiters.revoke,
    lookNow: floor.wake,
    get open() {
      return waiters.count;
    },
    [Symbol.asyncDispose]: async () => {
      closing = true;
      waiters.giveUp();
      await floor[Symbol.asyncDispose]();
    },
  };
}
