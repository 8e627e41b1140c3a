// `supervise.ts` applies this to the parts. `stack/src/postgres/run-supervisor.ts` and `postgres-supervisor.ts` beside
// it apply this to PostgreSQL.

/** A part that dies sooner than this after its start counts as unable to run. */
const shortLifeMs = 10_000;
const maxDeaths = 5;
const initialBackOffMs = 100;
const maxBackOffMs = 5_000;

/** Returns how many short lives there are in a row now. A part that ran for a while starts at 0 again. */
export function countDeath(deathsBefore: number, livedMs: number): number {
  return livedMs < shortLifeMs ? deathsBefore + 1 : 0;
}

/**
 * Returns whether to stop trying. A part that has served in this run of the stack is always restarted: the cause of its
 * deaths (a full disk, an unavailable database) may end.
 */
export function isHopeless({ deaths, served }: { deaths: number; served: boolean }): boolean {
  return !served && deaths >= maxDeaths;
}

/** Returns the pause before the next start: 0.1 s after a long life, then doubled each time, at most 5 s. */
export function backOffMs(deaths: number): number {
  return Math.min(initialBackOffMs * 2 ** deaths, maxBackOffMs);
}
