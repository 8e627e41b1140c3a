export type BatcherOptions<Item, Result> = {
  /** Answers each item in order. One that throws makes its members run singly, so that one poisoned member fails alone. */
  run: (items: Item[]) => Promise<(Result | Error)[]>;
  /** Items per batch at most. */
  maxSize: number;
  /** Batches under way at once; what arrives meanwhile gathers for the next, so batches grow under load. */
  maxInFlight: number;
  /** Milliseconds after which a batch under way makes room for another: what is slow holds up nothing else. Default: it never does. */
  slowAfterMs?: number;
  /** Errors for which trying the members singly is no use, such as a database out of reach. */
  isHopeless?: (error: unknown) => boolean;
};

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** Gathers what arrives in one turn of the event loop into one call of `run`. */
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
