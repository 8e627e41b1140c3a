import { newId } from '../ids.ts';
import type { Logger } from '../process/logger.ts';
import { startLoop } from './loop.ts';

export type Leases = AsyncDisposable & {
  /** Names this process in leases. */
  owner: string;
  leaseMs: number;
  /** Keeps the lease of this id alive until disposed. */
  hold: (id: string) => Disposable;
};

export type LeasesOptions = {
  /** Names the loop that renews. */
  name: string;
  leaseMs: number;
  /** Left out: a new name. */
  owner?: string | undefined;
  /** Renews, in one statement, those of the leases that are still this owner's. */
  renew: (leases: { ids: string[]; owner: string; leaseMs: number }) => Promise<void>;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

/** Renews the leases of what this process works on. When it dies they run out, and another process takes the work up. */
export function startLeases(options: LeasesOptions): Leases {
  const { leaseMs, owner = newId('svc_') } = options;
  // An id may be held twice for a while: what was claimed anew after its lease ran out has not ended before.
  const held = new Set<{ id: string; since: number }>();
  const renewal = startLoop({
    name: options.name,
    everyMs: leaseMs / 4,
    log: options.log,
    onStuck: options.onStuck,
    stuckAfterMs: options.stuckAfterMs,
    run: async () => {
      // Most work ends before its lease needs a renewal.
      const before = performance.now() - leaseMs / 5;
      const due = [...held].filter(({ since }) => since < before);
      const ids = [...new Set(due.map(({ id }) => id))];
      if (ids.length > 0) await options.renew({ ids, owner, leaseMs });
    },
  });
  return {
    owner,
    leaseMs,
    hold: (id) => {
      const mine = { id, since: performance.now() };
      held.add(mine);
      return { [Symbol.dispose]: () => void held.delete(mine) };
    },
    [Symbol.asyncDispose]: () => renewal[Symbol.asyncDispose](),
  };
}
