import { newId } from '../ids.ts';
import type { Logger } from '../process/logger.ts';
import { startLoop } from './loop.ts';

export type Leases = AsyncDisposable & {
  /** The name of this process in leases. */
  owner: string;
  leaseMs: number;
  /** Renews the lease of this id until disposed. */
  hold: (id: string) => Disposable;
};

export type LeasesOptions = {
  /** The name of the loop that renews the leases. */
  name: string;
  leaseMs: number;
  /** Default: a new name. */
  owner?: string | undefined;
  /** Renews in one statement the leases that this owner still has. */
  renew: (leases: { ids: string[]; owner: string; leaseMs: number }) => Promise<void>;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

/**
 * Renews the leases of the work of this process. When the process dies, they expire and another process takes the work.
 * `studio/src/renders/start-claims.ts` renews the leases of renders itself.
 */
export function startLeases(options: LeasesOptions): Leases {
  const { leaseMs, owner = newId('svc_') } = options;
  // An id may be held twice for a while: work may still run when it is claimed again after its lease expired.
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
