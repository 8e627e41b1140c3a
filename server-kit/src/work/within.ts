/** The work's outcome, or undefined when it takes longer; then it goes on, and what it throws is lost. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Does work for each item, so many at once, within one time for all: then `signal` aborts and nothing else begins.
 * Work that throws lets nothing else begin either; what is under way ends first, then the first error is thrown.
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
