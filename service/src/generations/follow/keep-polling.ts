import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Watched } from './watch-list.ts';

const initialPauseMs = 250;
/** A studio that is back is heard of within this; one call per process is little for one that is away. */
const maxPauseMs = 3_000;
/** From this many failures in a row on it is worth an operator's attention. */
const failuresToWarn = 3;

/**
 * Calls `poll` for the members again and again, with pauses that double after failures, until the signal aborts or
 * nobody is left; `once`: until a call has succeeded.
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
