export type BatcherOptions<Item, Result> = {
  /**
   * Returns a result for each item, in order. When a batch throws, its items run one by one, so that only the faulty
   * item fails.
   */
  run: (items: Item[]) => Promise<(Result | Error)[]>;
  /** The maximum number of items per batch. */
  maxSize: number;
  /**
   * The maximum number of batches that run at once. Items that arrive meanwhile wait for the next batch, so batches
   * grow under load.
   */
  maxInFlight: number;
  /**
   * Milliseconds after which a running batch no longer counts for `maxInFlight`, so that a slow batch does not delay
   * others. Default: no limit.
   */
  slowAfterMs?: number;
  /** Returns true for errors that make it pointless to run the items one by one, such as an unreachable database. */
  isHopeless?: (error: unknown) => boolean;
};

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** Collects the items that arrive in one turn of the event loop into one call of `run`. */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let scheduled = false;

  const releaseOnce = () => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      inFlight--;
      if (waiting.length > 0) flush();
    };
  };
  const flush = () => {
    scheduled = false;
    while (waiting.length > 0 && inFlight < options.maxInFlight) {
      const batch = waiting.length <= options.maxSize ? waiting : waiting.slice(0, options.maxSize);
      waiting = waiting.length <= options.maxSize ? [] : waiting.slice(options.maxSize);
      inFlight++;
      const release = releaseOnce();
      const slow = options.slowAfterMs === undefined ? undefined : setTimeout(release, options.slowAfterMs);
      void runBatch(options, batch).finally(() => {
        clearTimeout(slow);
        release();
      });
    }
  };

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (scheduled || inFlight >= options.maxInFlight) return;
      scheduled = true;
      setImmediate(flush);
    });
}

async function runBatch<Item, Result>(
  options: BatcherOptions<Item, Result>,
  batch: Waiting<Item, Result>[],
): Promise<void> {
  try {
    settle(batch, await options.run(batch.map(({ item }) => item)));
  } catch (error) {
    if (batch.length === 1 || options.isHopeless?.(error) === true) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const member of batch) {
      try {
        settle([member], await options.run([member.item]));
      } catch (failure) {
        member.reject(failure);
      }
    }
  }
}

function settle<Item, Result>(batch: Waiting<Item, Result>[], results: (Result | Error)[]): void {
  if (results.length !== batch.length)
    throw new Error(`a batch of ${batch.length} was answered with ${results.length} results`);
  batch.forEach(({ resolve, reject }, i) => {
    const result = results[i] as Result | Error;
    if (result instanceof Error) reject(result);
    else resolve(result);
  });
}
