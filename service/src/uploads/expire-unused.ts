import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { runBatches, startBatchLoop } from '@renderkit/server-kit/work/batch-loop.ts';
import { expireUploads } from './deletion-store.ts';

/** Days after which an unused upload is deleted, counted from its creation or from when it was last named. */
export const keptDays = 30;
const maxExpiringPerBatch = 200;
const expiryMs = 60_000;

export type ExpiryOptions = {
  database: Database;
  log: Logger;
  reconcileMs?: number | undefined;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

/**
 * Deletes uploads that no generation named for `keptDays`. `expireUploads` in `deletion-store.ts` decides which uploads
 * are unused. Hidden uploads (masks, imports) end after a day: `endUploads` in `outcome-store.ts`.
 */
export function startUploadExpiry(options: ExpiryOptions): AsyncDisposable {
  const { log, onStuck, stuckAfterMs, reconcileMs } = options;
  return startBatchLoop({
    log,
    onStuck,
    stuckAfterMs,
    name: 'expiring uploads',
    everyMs: reconcileMs ?? expiryMs,
    round: (stopping) => expireUnused(options, stopping),
  });
}

/**
 * Runs one round. The files of deleted uploads are removed with the orphans (`reconcile.ts`). Returns whether more is
 * left.
 */
export function expireUnused(
  { database }: Pick<ExpiryOptions, 'database'>,
  stopping?: AbortSignal,
): Promise<boolean> {
  const expire = async () =>
    (await expireUploads(database, { keptDays, atMost: maxExpiringPerBatch })) === maxExpiringPerBatch;
  return runBatches([expire], { stopping });
}
