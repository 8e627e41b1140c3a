import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { renewLeases } from './store.ts';

export type Leases = AsyncDisposable & {
  /** Names this process in leases. */
  owner: string;
  leaseMs: number;
  /** Keeps the lease of an upload alive until disposed. */
  hold: (id: string) => Disposable;
};

export const defaultLeaseMs = 10_000;

/** Renews the leases of the uploads that this process works on. When it dies, others see to them within seconds. */
export function startLeases(options: {
  database: Database;
  log: Logger;
  leaseMs?: number | undefined;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
}): Leases {
  const { leaseMs = defaultLeaseMs } = options;
  const owner = newId('svc_');
  const held = new Set<string>();
  const renewal = startLoop({
    ...options,
    name: 'upload leases',
    everyMs: leaseMs / 4,
    run: async () => {
      if (held.size > 0) await renewLeases(options.database, { ids: [...held], owner, leaseMs });
    },
  });
  return {
    owner,
    leaseMs,
    hold: (id) => {
      held.add(id);
      return { [Symbol.dispose]: () => void held.delete(id) };
    },
    [Symbol.asyncDispose]: () => renewal[Symbol.asyncDispose](),
  };
}
