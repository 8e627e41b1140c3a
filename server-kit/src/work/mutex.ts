/** Runs works one after another, in the order of their calls; one that fails keeps none from its turn. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Runs works of one key one after another, in the order of their calls; a work that fails holds up none after it. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Keeps nothing of a key that has no work waiting or running. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work);
    const ended = mine
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    return mine;
  };
}
