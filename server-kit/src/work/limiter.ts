/** Limits how much work runs at once. Other work waits in the order of its arrival. */
export type Limiter = {
  /**
   * Waits for a slot, at most `waitMs` and until the signal aborts, if given. Disposing the result frees the slot.
   * @throws LimiterFull, LimiterTimeout, the signal's reason
   */
  enter: (options?: { waitMs?: number; signal?: AbortSignal | undefined }) => Promise<Disposable>;
  /** Returns a slot if one is free now, without a promise; else `undefined`. */
  tryEnter: () => Disposable | undefined;
  /** Gives no slots for this time. A shorter pause does not end a longer one. */
  pause: (ms: number) => void;
  isPaused: () => boolean;
  /** Returns true when no slot is in use, nobody waits, and there is no pause. */
  isIdle: () => boolean;
};

/** Too many callers wait already. */
export class LimiterFull extends Error {
  override name = 'LimiterFull';
}

/** No slot became free in time. */
export class LimiterTimeout extends Error {
  override name = 'LimiterTimeout';
}

/** Creates a limiter with this many slots. At most `waitingAtMost` callers wait for a slot. Default: any number. */
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
    // A timer may fire a little early.
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
