import { StudioFailure } from './studio-failure.ts';

/** Calls to the studio under way for one account in this process. */
const maxInFlightPerAccount = 8;
/** Calls of one account that wait. */
const maxWaitingPerAccount = 2_000;
/** Milliseconds that calls are held back at most because the studio limited the account. */
export const maxHoldMs = 2_000;

type AccountQueue = { inFlight: number; waiting: Waiter[]; heldUntil: number };
type Waiter = {
  start: () => void;
  timer: NodeJS.Timeout;
  signal: AbortSignal | undefined;
  onAbort: () => void;
};

export type CallLimiter = {
  /** Waits for a slot, first come first served; call what it resolves to in order to release the slot. @throws StudioFailure */
  enter: (accountId: string, options: { waitMs: number; signal?: AbortSignal }) => Promise<() => void>;
  /** The studio limited the account: nothing starts for this long (2 s at most; bursts are smoothed, not refused). */
  hold: (accountId: string, milliseconds: number) => void;
  /** Whether such a time has not passed yet. */
  isHeld: (accountId: string) => boolean;
};

/** Smooths an account's bursts: so many calls at once, the others in a queue. */
export function createCallLimiter(maxInFlight: number = maxInFlightPerAccount): CallLimiter {
  const queues = new Map<string, AccountQueue>();

  const queueOf = (accountId: string): AccountQueue => {
    let queue = queues.get(accountId);
    if (queue === undefined) queues.set(accountId, (queue = { inFlight: 0, waiting: [], heldUntil: 0 }));
    return queue;
  };
  const startNext = (accountId: string, queue: AccountQueue) => {
    while (queue.waiting.length > 0 && queue.inFlight < maxInFlight && queue.heldUntil <= performance.now()) {
      const waiter = queue.waiting.shift();
      clearTimeout(waiter?.timer);
      waiter?.signal?.removeEventListener('abort', waiter.onAbort);
      queue.inFlight++;
      waiter?.start();
    }
    if (queue.inFlight === 0 && queue.waiting.length === 0 && queue.heldUntil <= performance.now())
      queues.delete(accountId);
  };
  const startAfterHold = (accountId: string, queue: AccountQueue) => {
    const leftMs = queue.heldUntil - performance.now();
    // A timer may ring a little early.
    if (leftMs > 0) setTimeout(() => startAfterHold(accountId, queue), Math.ceil(leftMs)).unref();
    else startNext(accountId, queue);
  };
  const releaser = (accountId: string, queue: AccountQueue) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      queue.inFlight--;
      startNext(accountId, queue);
    };
  };

  return {
    enter: async (accountId, { waitMs, signal }) => {
      const queue = queueOf(accountId);
      if (
        queue.waiting.length === 0 &&
        queue.inFlight < maxInFlight &&
        queue.heldUntil <= performance.now()
      ) {
        queue.inFlight++;
        return releaser(accountId, queue);
      }
      if (queue.waiting.length >= maxWaitingPerAccount)
        throw new StudioFailure('rate_limited', 'too many calls of one account wait for the studio', {
          maybeSent: false,
          retryAfterSeconds: 1,
        });
      await queueUp(queue, waitMs, signal);
      return releaser(accountId, queue);
    },
    hold: (accountId, milliseconds) => {
      const queue = queueOf(accountId);
      queue.heldUntil = Math.max(queue.heldUntil, performance.now() + Math.min(milliseconds, maxHoldMs));
      startAfterHold(accountId, queue);
    },
    isHeld: (accountId) => (queues.get(accountId)?.heldUntil ?? 0) > performance.now(),
  };
}

function queueUp(queue: AccountQueue, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (why: string) => {
      queue.waiting = queue.waiting.filter((other) => other !== waiter);
      clearTimeout(waiter.timer);
      signal?.removeEventListener('abort', waiter.onAbort);
      reject(new StudioFailure('unavailable', why, { maybeSent: false }));
    };
    const waiter: Waiter = {
      start: resolve,
      timer: setTimeout(() => giveUp('no slot came free for a call to the studio'), waitMs),
      signal,
      onAbort: () => giveUp('the call was given up while it waited'),
    };
    if (signal?.aborted === true) return waiter.onAbort();
    signal?.addEventListener('abort', waiter.onAbort, { once: true });
    queue.waiting.push(waiter);
  });
}
