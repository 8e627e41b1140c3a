import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { importFile, type ImportOptions } from './import-file.ts';
import { claimImports } from './store.ts';

/** Files fetched by this process at once, and of one account by all of them. */
const importsAtOnce = 64;
const importsPerAccount = 4;
/** While so many are under way here an account has one at most: slow servers of a few leave places to the others. */
const busyFrom = importsAtOnce / 2;
const sweepMs = 1_000;

export type Imports = AsyncDisposable & {
  /** Something may be due. */
  wake: () => void;
};

/** Fetches the addresses that creates named, after their 202. Woken at once in its own process, each second in others. */
export function startImports(
  options: ImportOptions & {
    sweepMs?: number | undefined;
    onStuck?: ((name: string) => void) | undefined;
    stuckAfterMs?: number | undefined;
  },
): Imports {
  const { database, leases, log } = options;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const loop = startLoop({
    name: 'imports',
    everyMs: options.sweepMs ?? sweepMs,
    log,
    onStuck: options.onStuck,
    stuckAfterMs: options.stuckAfterMs,
    run: async () => {
      const atMost = importsAtOnce - underWay.size;
      if (atMost <= 0) return;
      const { owner, leaseMs } = leases;
      for (const one of await claimImports(database, {
        owner,
        leaseMs,
        atMost,
        perAccount: importsPerAccount,
        furtherAtMost: Math.max(0, busyFrom - underWay.size),
      })) {
        const work = importFile(options, one, stopping.signal)
          .catch((error: unknown) =>
            log.warn({ uploadId: one.id, err: error }, 'an import was left to its lease'),
          )
          .finally(() => {
            underWay.delete(work);
            loop.wake();
          });
        underWay.add(work);
      }
    },
  });
  return {
    wake: loop.wake,
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('imports are stopping'));
      await loop[Symbol.asyncDispose]();
      await Promise.all(underWay);
    },
  };
}
