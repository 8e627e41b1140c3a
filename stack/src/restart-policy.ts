/** A part that dies sooner than this after its start counts as one that cannot run. */
const shortLifeMs = 10_000;
const maxDeaths = 5;
const initialBackOffMs = 100;
const maxBackOffMs = 5_000;

/** How many short lives in a row there are now: a part that ran for a while begins anew. */
export function countDeath(deathsBefore: number, livedMs: number): number {
  return livedMs < shortLifeMs ? deathsBefore + 1 : 0;
}

/**
 * Whether to stop trying. What has served once in this run of the stack is never given up: what ails it now (a full
 * disk, a database that is away) may end.
 */
export function isHopeless({ deaths, served }: { deaths: number; served: boolean }): boolean {
  return !served && deaths >= maxDeaths;
}

/** The pause before the next start: 0.1 s after a long life, then doubling, 5 s at most. */
export function backOffMs(deaths: number): number {
  return Math.min(initialBackOffMs * 2 ** deaths, maxBackOffMs);
}
