import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Watched } from './watch-list.ts';

const initialPauseMs = 250;
/**
 * The time within which a returning studio is noticed. One call per process in this time is little load for the studio.
 */
const maxPauseMs = 3_000;
/** After this many failures in a row a warning is logged. */
const failuresToWarn = 3;

/**
 * Calls `poll` for the members again and again, until the signal aborts or no member is left. Pauses double after
 * failures. With `once` it stops after the first successful call.
 */
export async function keepPolling(polling: {
  members: () => readonly Watched[];
  poll: (members: readonly Watched[], signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  log: Logger;
  once?: boolean;
}): Promise<void> {
  const { signal, log } = polling;
  let failures = 0;
  while (!signal.aborted) {
    const members = polling.members();
    if (members.length === 0) return;
    try {
      await polling.poll(members, signal);
      if (polling.once === true) return;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      const level = failures === failuresToWarn ? 'warn' : 'debug';
      log[level]({ err: error, failures }, 'the feed of the studio could not be read');
      const pauseMs = Math.min(maxPauseMs, initialPauseMs * 2 ** Math.min(failures - 1, 10));
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }
}
