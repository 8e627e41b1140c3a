import type { Lane } from '@renderkit/contract/studio/schemas.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';

/** Places that were left for an account when it was last claimed for. */
type Room = Record<Lane | 'overall', number>;

export type Wakes = {
  wake: (accountId: string) => void;
  queued: (accountId: string, lane: Lane) => void;
  wakeAfter: (accountId: string, ms: number) => void;
  /** Until something else wakes the account, or `forget`, what is queued in a lane without room wakes nobody. */
  remember: (accountId: string, left: Room) => void;
  forget: () => void;
  stop: () => void;
};

const longestPauseMs = 60_000;

/**
 * Gathers the accounts that were woken in one turn of the event loop into one claim. No account is claimed for twice
 * at once: one that is woken during its claim is claimed for again after it.
 */
export function createWakes(options: {
  claim: (accountIds: string[]) => Promise<void>;
  accountsPerClaim: number;
  claimsInFlight: number;
  log: Logger;
}): Wakes {
  const woken = new Set<string>();
  const claiming = new Set<string>();
  const pauses = new Map<string, NodeJS.Timeout>();
  let rooms = new Map<string, Room>();
  let inFlight = 0;
  let scheduled = false;
  let stopped = false;

  const flush = () => {
    scheduled = false;
    while (!stopped && inFlight < options.claimsInFlight) {
      const batch: string[] = [];
      for (const accountId of woken) {
        if (batch.length === options.accountsPerClaim) break;
        if (!claiming.has(accountId)) batch.push(accountId);
      }
      if (batch.length === 0) return;
      for (const accountId of batch) {
        woken.delete(accountId);
        claiming.add(accountId);
      }
      inFlight++;
      void options
        .claim(batch)
        // The sweep comes by within a second.
        .catch((error: unknown) => options.log.warn({ err: error }, 'a claim failed'))
        .finally(() => {
          inFlight--;
          for (const accountId of batch) claiming.delete(accountId);
          flush();
        });
    }
  };
  const schedule = (accountId: string) => {
    woken.add(accountId);
    if (scheduled || stopped || inFlight >= options.claimsInFlight) return;
    scheduled = true;
    setImmediate(flush);
  };
  const wake = (accountId: string) => {
    rooms.delete(accountId);
    schedule(accountId);
  };

  return {
    wake,
    queued: (accountId, lane) => {
      const room = rooms.get(accountId);
      if (room === undefined || (room.overall > 0 && room[lane] > 0)) schedule(accountId);
    },
    wakeAfter: (accountId, ms) => {
      if (pauses.has(accountId) || stopped) return;
      const timer = setTimeout(
        () => {
          pauses.delete(accountId);
          wake(accountId);
        },
        Math.min(ms, longestPauseMs),
      );
      pauses.set(accountId, timer);
    },
    remember: (accountId, left) => {
      if (!woken.has(accountId)) rooms.set(accountId, left);
    },
    forget: () => {
      rooms = new Map();
    },
    stop: () => {
      stopped = true;
      for (const timer of pauses.values()) clearTimeout(timer);
    },
  };
}
