import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Claim } from './store.ts';

export type SubmitQueue = AsyncDisposable & {
  add: (claims: readonly Claim[]) => void;
  /** Ids of the claims that are here for longer than this. */
  olderThan: (ms: number) => string[];
};

/** Submits of this process at once, whatever the account. */
const submitsAtOnce = 64;
/** How long submits under way may take to end when the process stops; then they are left to their leases. */
const finishWithinMs = 8_000;

/** Submits claims, so many at a time, first come first served. What has not begun when it stops is given back. */
export function createSubmitQueue(options: {
  submit: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  giveBack: (claims: readonly Claim[]) => Promise<void>;
  log: Logger;
}): SubmitQueue {
  const { submit, log } = options;
  const stopping = new AbortController();
  const since = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  const waiting: Claim[] = [];

  const startNext = () => {
    while (underWay.size < submitsAtOnce && !stopping.signal.aborted) {
      const claim = waiting.shift();
      if (claim === undefined) return;
      const work = submit(claim, stopping.signal)
        .catch((error: unknown) =>
          log.error({ generationId: claim.id, err: error }, 'a submit was left to its lease'),
        )
        .finally(() => {
          underWay.delete(work);
          since.delete(claim.id);
          startNext();
        });
      underWay.add(work);
    }
  };

  return {
    add: (claims) => {
      const now = performance.now();
      for (const claim of claims) {
        since.set(claim.id, now);
        waiting.push(claim);
      }
      startNext();
    },
    olderThan: (ms) => {
      const before = performance.now() - ms;
      return [...since].filter(([, at]) => at < before).map(([id]) => id);
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('submits are stopping'));
      await options
        .giveBack(waiting.splice(0))
        .catch((error: unknown) => log.warn({ err: error }, 'claims were left to their leases'));
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, finishWithinMs);
      });
      await Promise.race([Promise.all(underWay), late]);
      clearTimeout(timer);
    },
  };
}
