/** So much work at a time; the rest waits in the order in which it came. */
export type Limiter = {
  /** Waits for a slot; disposing what it answers gives the slot back. @throws LimiterFull */
  enter: () => Promise<Disposable>;
};

/** Too many wait already. */
export class LimiterFull extends Error {
  override name = 'LimiterFull';
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
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  return {
    enter: async () => {
      if (free > 0) free--;
      else if (waiting.length >= waitingAtMost) throw new LimiterFull(`${waiting.length} wait already`);
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let held = true;
      return {
        [Symbol.dispose]: () => {
          if (held) leave();
          held = false;
        },
      };
    },
  };
}
