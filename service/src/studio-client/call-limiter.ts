import {
  createLimiter,
  type Limiter,
  LimiterFull,
  LimiterTimeout,
} from '@renderkit/server-kit/work/limiter.ts';
import { StudioFailure } from './studio-failure.ts';

/** Calls to the studio under way for one account in this process. */
const maxInFlightPerAccount = 8;
/** Calls of one account that wait. */
const maxWaitingPerAccount = 2_000;
/** Milliseconds that calls are held back at most because the studio limited the account. */
export const maxHoldMs = 2_000;

export type CallLimiter = {
  /** Waits for a slot, first come first served; disposing what it resolves to gives the slot back. @throws StudioFailure */
  enter: (
    accountId: string,
    wait: { waitMs: number; signal?: AbortSignal | undefined },
  ) => Promise<Disposable>;
  /** The studio limited the account: nothing starts for this long (2 s at most; bursts are smoothed, not refused). */
  hold: (accountId: string, milliseconds: number) => void;
  /** Whether such a time has not passed yet. */
  isHeld: (accountId: string) => boolean;
};

/** Smooths an account's bursts: so many calls at once, the others in a queue. */
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
      // A timer may ring a little early.
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
