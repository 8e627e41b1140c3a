import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** For each millisecond of such work, so many are left to everything else. */
const restFactor = 2;
/** A shorter rest is not worth a timer, which counts whole milliseconds. */
const minRestMs = 1;

/** When the event loop, of which a process has one, has rested from such work; on the clock of `performance.now()`. */
let restedAt = 0;

/**
 * Leaves the event loop to others while much is worked at in slices. All slices of the process that are followed by this take a
 * third of it together, at most: a request beside them waits for a slice, and not for all that is to be done. Resolves
 * when the next slice may begin, after one that took `tookMs` milliseconds; never in the same turn of the loop.
 */
export async function yieldEventLoop(tookMs: number): Promise<void> {
  const until = (restedAt = Math.max(restedAt, performance.now()) + tookMs * restFactor);
  let restMs = until - performance.now();
  if (restMs < minRestMs) await nextTurn();
  // Again where it ended too soon: a timer leaves off the fraction of a millisecond, at its end and where it begins.
  for (; restMs >= minRestMs; restMs = until - performance.now()) await sleep(restMs);
}
