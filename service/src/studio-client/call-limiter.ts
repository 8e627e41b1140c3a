import { StudioFailure } from './studio-failure.ts';

/** Calls to the studio under way for one account in this process. */
const maxInFlightPerAccount = 8;
/** Calls of one account that wait their turn. */
const maxWaitingPerAccount = 2_000;
/** The longest that calls are held back because the studio limited the account. */
export const longestHoldMs = 2_000;

type Lane = { inFlight: number; waiting: Turn[]; heldUntil: number };
type Turn = {
  start: () => void;
  timer: NodeJS.Timeout;
  signal: AbortSignal | undefined;
  onAbort: () => void;
};

export type Pacing = {
  /** Waits for a turn, first come first served; call what it answers to give the turn back. @throws StudioFailure */
  enter: (accountId: string, options: { waitMs: number; signal?: AbortSignal }) => Promise<() => void>;
  /** The studio limited the account: nothing starts for this long (2 s at most; bursts are smoothed, not refused). */
  hold: (accountId: string, milliseconds: number) => void;
};

/** Smooths an account's bursts: so many calls at once, the others in a queue. */
export function createPacing(maxInFlight: number = maxInFlightPerAccount): Pacing {
  const lanes = new Map<string, Lane>();

  const laneOf = (accountId: string): Lane => {
    let lane = lanes.get(accountId);
    if (lane === undefined) lanes.set(accountId, (lane = { inFlight: 0, waiting: [], heldUntil: 0 }));
    return lane;
  };
  const startNext = (accountId: string, lane: Lane) => {
    while (lane.waiting.length > 0 && lane.inFlight < maxInFlight && lane.heldUntil <= performance.now()) {
      const turn = lane.waiting.shift();
      clearTimeout(turn?.timer);
      turn?.signal?.removeEventListener('abort', turn.onAbort);
      lane.inFlight++;
      turn?.start();
    }
    if (lane.inFlight === 0 && lane.waiting.length === 0 && lane.heldUntil <= performance.now())
      lanes.delete(accountId);
  };
  const startAfterHold = (accountId: string, lane: Lane) => {
    const leftMs = lane.heldUntil - performance.now();
    // A timer may ring a little early.
    if (leftMs > 0) setTimeout(() => startAfterHold(accountId, lane), Math.ceil(leftMs)).unref();
    else startNext(accountId, lane);
  };
  const leaver = (accountId: string, lane: Lane) => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      lane.inFlight--;
      startNext(accountId, lane);
    };
  };

  return {
    enter: async (accountId, { waitMs, signal }) => {
      const lane = laneOf(accountId);
      if (lane.waiting.length === 0 && lane.inFlight < maxInFlight && lane.heldUntil <= performance.now()) {
        lane.inFlight++;
        return leaver(accountId, lane);
      }
      if (lane.waiting.length >= maxWaitingPerAccount)
        throw new StudioFailure('rate_limited', 'too many calls of one account wait for the studio', {
          maybeSent: false,
          retryAfterSeconds: 1,
        });
      await queueUp(lane, waitMs, signal);
      return leaver(accountId, lane);
    },
    hold: (accountId, milliseconds) => {
      const lane = laneOf(accountId);
      lane.heldUntil = Math.max(lane.heldUntil, performance.now() + Math.min(milliseconds, longestHoldMs));
      startAfterHold(accountId, lane);
    },
  };
}

function queueUp(lane: Lane, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (why: string) => {
      lane.waiting = lane.waiting.filter((other) => other !== turn);
      clearTimeout(turn.timer);
      signal?.removeEventListener('abort', turn.onAbort);
      reject(new StudioFailure('unavailable', why, { maybeSent: false }));
    };
    const turn: Turn = {
      start: resolve,
      timer: setTimeout(() => giveUp('no turn came for a call to the studio'), waitMs),
      signal,
      onAbort: () => giveUp('the call was given up while it waited'),
    };
    if (signal?.aborted === true) return turn.onAbort();
    signal?.addEventListener('abort', turn.onAbort, { once: true });
    lane.waiting.push(turn);
  });
}
