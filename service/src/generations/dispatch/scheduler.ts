import { setTimeout as sleep } from 'node:timers/promises';
import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';

/** Places that were left for an account when it was last claimed for. */
type Room = Record<Lane | 'overall', number>;

export type Wakes = {
  /** Something may start for the account: a place came free, its limits or its queue changed. */
  wake: (accountId: string) => void;
  /** A generation was queued; heeded unless its lane was just seen to be full. */
  queued: (accountId: string, lane: Lane) => void;
  /** The account pauses: when that is over it is claimed for, and `onPauseOver` called. */
  wakeAfter: (accountId: string, ms: number) => void;
  /** Until the account is woken, or `forget`, what is queued in a lane without room wakes nobody. */
  remember: (accountId: string, left: Room) => void;
  forget: () => void;
  /** Settles when no claim is under way any more. */
  stop: () => Promise<void>;
};

export type WakesOptions = {
  claim: (accountIds: string[]) => Promise<void>;
  onPauseOver: (accountId: string) => void;
  accountsPerClaim: number;
  claimsInFlight: number;
  log: Logger;
};

const longestPauseMs = 60_000;

/**
 * Gathers the accounts that were woken in one turn of the event loop into one claim. No account is claimed for twice
 * at once: one that is woken during its claim is claimed for again after it.
 */
export function createWakes(options: WakesOptions): Wakes {
  const claims = createClaims(options);
  const stopping = new AbortController();
  const pausing = new Set<string>();
  let rooms = new Map<string, Room>();
  const wake = (accountId: string) => {
    rooms.delete(accountId);
    claims.add(accountId);
  };
  return {
    wake,
    queued: (accountId, lane) => {
      const room = rooms.get(accountId);
      if (room === undefined || (room.overall > 0 && room[lane] > 0)) claims.add(accountId);
    },
    wakeAfter: (accountId, ms) => {
      if (pausing.has(accountId) || stopping.signal.aborted) return;
      pausing.add(accountId);
      void pause(Math.min(ms, longestPauseMs), stopping.signal).then((over) => {
        pausing.delete(accountId);
        if (!over) return false;
        wake(accountId);
        options.onPauseOver(accountId);
        return true;
      });
    },
    remember: (accountId, left) => {
      if (!claims.has(accountId)) rooms.set(accountId, left);
    },
    forget: () => {
      rooms = new Map();
    },
    stop: () => {
      stopping.abort();
      return claims.stop();
    },
  };
}

/** True when it is over, false when it was cut short. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

/** Runs the claims: each for some accounts, none of them in two at once. */
function createClaims({ claim, accountsPerClaim, claimsInFlight, log }: WakesOptions) {
  const woken = new Set<string>();
  const claiming = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let scheduled = false;
  let stopped = false;

  const nextBatch = (): string[] => {
    const batch: string[] = [];
    for (const accountId of woken) {
      if (batch.length === accountsPerClaim) break;
      if (!claiming.has(accountId)) batch.push(accountId);
    }
    return batch;
  };
  const start = (batch: string[]) => {
    for (const accountId of batch) {
      woken.delete(accountId);
      claiming.add(accountId);
    }
    const work = claim(batch)
      // The sweep comes by within a second.
      .catch((error: unknown) => log.warn({ err: error }, 'a claim failed'))
      .finally(() => {
        underWay.delete(work);
        for (const accountId of batch) claiming.delete(accountId);
        flush();
      });
    underWay.add(work);
  };
  const flush = () => {
    scheduled = false;
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      if (stopped || underWay.size >= claimsInFlight) return;
      start(batch);
    }
  };

  return {
    has: (accountId: string) => woken.has(accountId),
    add: (accountId: string) => {
      woken.add(accountId);
      if (scheduled || underWay.size >= claimsInFlight) return;
      scheduled = true;
      setImmediate(flush);
    },
    stop: async () => {
      stopped = true;
      await Promise.all(underWay);
    },
  };
}
