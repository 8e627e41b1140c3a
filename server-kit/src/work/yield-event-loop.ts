import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** For each millisecond of such work, the event loop is free for other work for this many milliseconds. */
const restFactor = 2;
/** A shorter rest is not worth a timer, which counts whole milliseconds. */
const minRestMs = 1;

/** When the rest after the last slice ends, on the clock of `performance.now()`. A process has only one event loop. */
let restedAt = 0;

/**
 * Leaves the event loop to other work between the slices of a large task. All slices of the process that call this take
 * together at most a third of the time. So a request waits for one slice at most, not for the whole task. Resolves when
 * the next slice may begin, after a slice of `tookMs` milliseconds; never in the same turn of the event loop.
 */
export async function yieldEventLoop(tookMs: number): Promise<void> {
  const until = (restedAt = Math.max(restedAt, performance.now()) + tookMs * restFactor);
  let restMs = until - performance.now();
  if (restMs < minRestMs) await nextTurn();
  // Repeats when the timer ended too early: a timer ignores the fraction of a millisecond, at its start and at its end.
  for (; restMs >= minRestMs; restMs = until - performance.now()) await sleep(restMs);
}
