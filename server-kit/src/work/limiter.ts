/** So much work at a time; the rest waits in the order in which it came. */
export type Limiter = {
  /**
   * Waits for a slot, `waitMs` at most and until the signal is raised where they are given; disposing what it answers gives
   * the slot back. @throws LimiterFull, LimiterTimeout, the signal's reason
   */
  enter: (options?: { waitMs?: number; signal?: AbortSignal | undefined }) => Promise<Disposable>;
  /** A slot where one is free at once, without a promise. */
  tryEnter: () => Disposable | undefined;
  /** Nobody gets a slot for so long; a shorter pause ends no longer one. */
  pause: (ms: number) => void;
  isPaused: () => boolean;
  /** Nobody has a slot or waits for one, and there is no pause. */
  isIdle: () => boolean;
};

/** Too many wait already. */
export class LimiterFull extends Error {
  override name = 'LimiterFull';
}

/** No slot came free in time. */
export class LimiterTimeout extends Error {
  override name = 'LimiterTimeout';
}

/** `slots` are held at once, and `waitingAtMost` wait for one; without it any number. */
export function createLimiter({
  slots,
  waitingAtMost = Number.POSITIVE_INFINITY,
}: {
  slots: number;
  waitingAtMost?: number;
}): Limiter {
  const waiting: (() => void)[] = [];
  let free = slots;
  let pausedUntil = 0;
  const isPaused = () => pausedUntil > performance.now();
  const startNext = () => {
    while (free > 0 && waiting.length > 0 && !isPaused()) {
      free--;
      waiting.shift()?.();
    }
  };
  const startAfterPause = () => {
    const leftMs = pausedUntil - performance.now();
    // A timer may ring a little early.
    if (leftMs > 0) setTimeout(startAfterPause, Math.ceil(leftMs)).unref();
    else startNext();
  };
  const newSlot = (): Disposable => {
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        free++;
        startNext();
      },
    };
  };
  const tryEnter = () => {
    if (free === 0 || waiting.length > 0 || isPaused()) return undefined;
    free--;
    return newSlot();
  };
  return {
    enter: async ({ waitMs, signal } = {}) => {
      const slot = tryEnter();
      if (slot !== undefined) return slot;
      if (waiting.length >= waitingAtMost) throw new LimiterFull(`${waiting.length} wait already`);
      await queueUp(waiting, waitMs, signal);
      return newSlot();
    },
    tryEnter,
    pause: (ms) => {
      pausedUntil = Math.max(pausedUntil, performance.now() + ms);
      startAfterPause();
    },
    isPaused,
    isIdle: () => free === slots && waiting.length === 0 && !isPaused(),
  };
}

function queueUp(
  waiting: (() => void)[],
  waitMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const start = () => {
      end();
      resolve();
    };
    const giveUp = (why: unknown) => {
      end();
      waiting.splice(waiting.indexOf(start), 1);
      reject(why);
    };
    const onAbort = () => giveUp(signal?.reason);
    const timer =
      waitMs === undefined
        ? undefined
        : setTimeout(() => giveUp(new LimiterTimeout(`no slot came free in ${waitMs} ms`)), waitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    waiting.push(start);
  });
}
