/**
 * Returns the outcome of the work, or `undefined` when it takes longer. The work then continues, and its errors are
 * lost.
 */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Runs work for each item, at most `atOnce` items at the same time, within one time limit for all. At the limit
 * `signal` aborts and no other item begins. After an error no other item begins either; running work ends first, then
 * the first error is thrown.
 */
export async function eachWithin<Item>(
  items: Iterable<Item>,
  options: { atOnce: number; withinMs: number; stopping?: AbortSignal | undefined },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { stopping } = options;
  const ending = new AbortController();
  const end = () => ending.abort(new Error('the time of this round is over'));
  const timer = setTimeout(end, options.withinMs);
  stopping?.addEventListener('abort', end, { once: true });
  if (stopping?.aborted === true) end();
  const rest = items[Symbol.iterator]();
  let failed = false;

  const doOneAfterAnother = async () => {
    while (!ending.signal.aborted && !failed) {
      const next = rest.next();
      if (next.done === true) return;
      try {
        await work(next.value, ending.signal);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  try {
    const ends = await Promise.allSettled(Array.from({ length: options.atOnce }, doOneAfterAnother));
    const failure = ends.find((one) => one.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', end);
  }
}
