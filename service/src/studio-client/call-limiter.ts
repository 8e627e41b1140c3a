import {
  createLimiter,
  type Limiter,
  LimiterFull,
  LimiterTimeout,
} from '@renderkit/server-kit/work/limiter.ts';
import { StudioFailure } from './studio-failure.ts';

/** The most calls to the studio at once for one account in this process. */
const maxInFlightPerAccount = 8;
/** The most waiting calls of one account. */
const maxWaitingPerAccount = 2_000;
/** The longest time that calls are held back after the studio limited the account, in milliseconds. */
export const maxHoldMs = 2_000;

export type CallLimiter = {
  /** Waits for a slot, first come, first served. Disposing the result frees the slot. @throws StudioFailure */
  enter: (
    accountId: string,
    wait: { waitMs: number; signal?: AbortSignal | undefined },
  ) => Promise<Disposable>;
  /**
   * Call this when the studio limited the account: no call starts for this long (at most 2 s; bursts are smoothed, not
   * refused).
   */
  hold: (accountId: string, milliseconds: number) => void;
  /** Returns whether calls of the account are held back now. */
  isHeld: (accountId: string) => boolean;
};

/**
 * Smooths an account's bursts: only `maxInFlight` calls run at once, the others wait in a queue. `performForAccount` in
 * `studio-client.ts` repeats a call that the studio limited.
 */
export function createCallLimiter(maxInFlight: number = maxInFlightPerAccount): CallLimiter {
  const limiters = new Map<string, Limiter>();

  const limiterOf = (accountId: string): Limiter => {
    let limiter = limiters.get(accountId);
    if (limiter === undefined) {
      limiter = createLimiter({ slots: maxInFlight, waitingAtMost: maxWaitingPerAccount });
      limiters.set(accountId, limiter);
    }
    return limiter;
  };
  const forgetIdle = (accountId: string) => {
    if (limiters.get(accountId)?.isIdle() === true) limiters.delete(accountId);
  };

  return {
    enter: async (accountId, wait) => {
      try {
        const limiter = limiterOf(accountId);
        const slot = limiter.tryEnter() ?? (await limiter.enter(wait));
        return {
          [Symbol.dispose]: () => {
            slot[Symbol.dispose]();
            forgetIdle(accountId);
          },
        };
      } catch (error) {
        throw failureOf(error);
      }
    },
    hold: (accountId, milliseconds) => {
      const holdMs = Math.min(milliseconds, maxHoldMs);
      limiterOf(accountId).pause(holdMs);
      // A timer may fire a little early.
      setTimeout(() => forgetIdle(accountId), holdMs + 1).unref();
    },
    isHeld: (accountId) => limiters.get(accountId)?.isPaused() === true,
  };
}

function failureOf(cause: unknown): StudioFailure {
  if (cause instanceof LimiterFull)
    return new StudioFailure('rate_limited', 'too many calls of one account wait for the studio', {
      maybeSent: false,
      retryAfterSeconds: 1,
      cause,
    });
  const why =
    cause instanceof LimiterTimeout
      ? 'no slot came free for a call to the studio'
      : 'the call was given up while it waited';
  return new StudioFailure('unavailable', why, { maybeSent: false, cause });
}
