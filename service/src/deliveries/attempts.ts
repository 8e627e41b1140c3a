import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Claim } from './store.ts';

export type Attempts = {
  /** What may be claimed now, as the claim asks for it. */
  room: () => { places: number; failingPlaces: number; several: boolean };
  start: (claims: readonly Claim[]) => void;
  /** Waits for what is under way, for 8 s at most. */
  finish: () => Promise<void>;
};

const finishWithinMs = 8_000;

/**
 * The attempts under way in this process. Endpoints whose last attempt failed may take half of the places, and past
 * half of them in use no endpoint gets a second one: many that hang at once leave room for those that answer.
 */
export function createAttempts(options: {
  atOnce: number;
  run: (claim: Claim) => Promise<void>;
  onDone: () => void;
  log: Logger;
}): Attempts {
  const { atOnce, run, onDone, log } = options;
  const half = Math.floor(atOnce / 2);
  const underWay = new Set<Promise<void>>();
  let failing = 0;

  const startOne = (claim: Claim) => {
    if (claim.failing) failing++;
    const work = run(claim)
      .catch((error: unknown) =>
        log.error({ deliveryId: claim.deliveryId, err: error }, 'an attempt was left to its lease'),
      )
      .finally(() => {
        underWay.delete(work);
        if (claim.failing) failing--;
        onDone();
      });
    underWay.add(work);
  };

  return {
    room: () => ({
      places: atOnce - underWay.size,
      failingPlaces: Math.max(0, Math.min(half - failing, atOnce - underWay.size)),
      several: underWay.size < half,
    }),
    start: (claims) => claims.forEach(startOne),
    finish: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, finishWithinMs);
      });
      await Promise.race([Promise.all(underWay), late]);
      clearTimeout(timer);
    },
  };
}
