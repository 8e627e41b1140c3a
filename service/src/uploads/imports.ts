import { type LeaseQueue, startLeaseQueue } from '@renderkit/server-kit/work/lease-queue.ts';
import { importFile, type ImportOptions } from './import-file.ts';
import { claimImports, type Import, postpone } from './store.ts';

/** Files fetched by this process at once, and of one account by all of them. */
const importsAtOnce = 64;
const importsPerAccount = 4;
/** While so many are under way here an account has one at most: slow servers of a few leave places to the others. */
const busyFrom = importsAtOnce / 2;
const sweepMs = 1_000;
/** Milliseconds that what was under way has to give its lease back when the process stops. */
const finishWithinMs = 8_000;

export type Imports = AsyncDisposable & Pick<LeaseQueue<Import>, 'wake'>;

/** Fetches the addresses that creates named, after their 202. Woken at once in its own process, each second in others. */
export function startImports(
  options: ImportOptions & {
    sweepMs?: number | undefined;
    onStuck?: ((name: string) => void) | undefined;
    stuckAfterMs?: number | undefined;
  },
): Imports {
  const { database, leases, log } = options;
  const { owner, leaseMs } = leases;
  return startLeaseQueue<Import>({
    slots: importsAtOnce,
    idOf: ({ id }) => id,
    run: (one, stopping) => importFile(options, one, stopping),
    onError: ({ id }, error) => log.warn({ uploadId: id, err: error }, 'an import was left to its lease'),
    giveBack: async (claims) => {
      await Promise.all(claims.map(({ id }) => postpone(database, { id, owner, forMs: 0 })));
    },
    leases,
    finishWithinMs,
    polling: {
      name: 'imports',
      everyMs: options.sweepMs ?? sweepMs,
      onStuck: options.onStuck,
      stuckAfterMs: options.stuckAfterMs,
      claim: (atMost, running) =>
        claimImports(database, {
          owner,
          leaseMs,
          atMost,
          perAccount: importsPerAccount,
          furtherAtMost: Math.max(0, busyFrom - running.size),
        }),
    },
    log,
  });
}
