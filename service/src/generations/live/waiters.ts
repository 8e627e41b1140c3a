import type { Waiter } from './waiter.ts';

/** The open long polls of this process, by the generation that they wait for. */
export function createWaiters() {
  const byGeneration = new Map<string, Set<Waiter>>();
  let count = 0;
  const all = function* () {
    for (const some of byGeneration.values()) yield* some;
  };
  return {
    get count() {
      return count;
    },
    add: (id: string, waiter: Waiter) => {
      count++;
      const others = byGeneration.get(id);
      if (others === undefined) byGeneration.set(id, new Set([waiter]));
      else others.add(waiter);
    },
    remove: (id: string, waiter: Waiter) => {
      count--;
      waiter.end();
      const others = byGeneration.get(id);
      others?.delete(waiter);
      if (others?.size === 0) byGeneration.delete(id);
    },
    wake: (ids: readonly string[], texts: readonly (string | undefined)[] = []) => {
      for (const [i, id] of ids.entries())
        for (const waiter of byGeneration.get(id) ?? []) waiter.wake(texts[i]);
    },
    /** Those of a revoked key read again, and so find out. */
    revoke: (keyIds: readonly string[]) => {
      if (keyIds.length === 0) return;
      const revoked = new Set(keyIds);
      for (const waiter of all()) if (revoked.has(waiter.keyId)) waiter.wake();
    },
    keyIds: (): string[] => {
      const ids = new Set<string>();
      for (const waiter of all()) ids.add(waiter.keyId);
      return [...ids];
    },
    giveUp: () => {
      for (const waiter of all()) waiter.giveUp();
    },
  };
}
