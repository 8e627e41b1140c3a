import { uploadProcessingMinutes } from '@renderkit/contract/v1/limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Leases } from '@renderkit/server-kit/work/leases.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { eachWithin } from '@renderkit/server-kit/work/within.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { endOf, overdueEnd, type SettleUploads } from './record-outcomes.ts';
import { claimOrphans, removeUpload, takeStale } from './store.ts';

/** How many tokens the studio's contract allows in one look-up. */
const maxTokensPerCall = 200;
const silentMs = 60_000;
/** The studio rejects overdue uploads too: `rejectOverdueUploads` in `studio/src/uploads/check-upload.ts`. */
const overdueMs = uploadProcessingMinutes * 60_000;
const maxStalePerRound = 200;
const maxOrphansPerRound = 50;
/** How many calls a round makes at once. The studio may hang, and other callers need connections too. */
const maxCalls = 8;
/**
 * A round must end before it counts as stuck (30 s), even if the studio hangs. The next round continues with the rest.
 */
const defaultRoundMs = 20_000;

export type ReconcileOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  settle: SettleUploads;
  leases: Leases;
  log: Logger;
  reconcileMs?: number | undefined;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
  /** For tests. Default 20,000. */
  roundMs?: number | undefined;
};

/** Asks about uploads that the feed does not report, ends those that take too long, and removes orphans. */
export function startUploadReconciliation(options: ReconcileOptions): AsyncDisposable {
  const { log, onStuck, stuckAfterMs, reconcileMs } = options;
  const common = { log, onStuck, stuckAfterMs };
  const stale = startLoop({
    ...common,
    name: 'stale uploads',
    everyMs: reconcileMs ?? 1_000,
    run: (stopping) => askAboutStale(options, stopping),
  });
  const orphans = startLoop({
    ...common,
    name: 'orphaned uploads',
    everyMs: reconcileMs ?? 5_000,
    run: (stopping) => removeOrphans(options, stopping),
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all([stale, orphans].map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
}

/** Runs one round: asks by token about uploads whose checks take long, and rejects overdue ones. */
export async function askAboutStale(
  options: Omit<ReconcileOptions, 'leases'>,
  stopping?: AbortSignal,
): Promise<void> {
  const uploads = await takeStale(options.database, { silentMs, overdueMs, atMost: maxStalePerRound });
  const byAccount = Map.groupBy(uploads, (upload) => upload.account_id);
  await eachWithin(byAccount, roundOf(options, stopping), async ([accountId, mine], signal) => {
    try {
      const ids = mine.map(({ id }) => id);
      await askUploads(options, accountId, ids, signal);
    } catch (error) {
      options.log.info({ accountId, err: error }, 'the studio could not be asked about uploads');
    }
    // The studio's answer has already ended the uploads whose end it knows.
    const overdue = mine.filter((upload) => upload.overdue).map(({ id }) => overdueEnd(accountId, id));
    if (overdue.length > 0) await options.settle(overdue);
  });
}

/** Asks the studio about an account's uploads and applies its answer. @throws StudioFailure */
export async function askUploads(
  { studioClient, settle }: { studioClient: Pick<StudioClient, 'call'>; settle: SettleUploads },
  accountId: string,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (let i = 0; i < ids.length; i += maxTokensPerCall) {
    const { uploads } = await studioClient.call('lookUpUploads', {
      accountId,
      ...(signal !== undefined && { signal }),
      body: { tokens: ids.slice(i, i + maxTokensPerCall) },
    });
    const ends = uploads.flatMap((upload) => endOf(accountId, upload) ?? []);
    if (ends.length > 0) await settle(ends);
  }
}

/** Runs one round: removes files without an upload and hidden files that are no longer needed, first at the studio. */
export async function removeOrphans(
  options: Pick<ReconcileOptions, 'database' | 'studioClient' | 'leases' | 'log' | 'roundMs'>,
  stopping?: AbortSignal,
): Promise<void> {
  const { database, studioClient, leases, log } = options;
  // Not the owner that sends files: if a file is still being sent, its sender sees that it lost the upload.
  const owner = newId('svc_');
  const orphans = await claimOrphans(database, {
    leaseMs: leases.leaseMs,
    owner,
    atMost: maxOrphansPerRound,
  });
  await eachWithin(orphans, roundOf(options, stopping), async ({ id, account_id: accountId }, signal) => {
    try {
      await studioClient.call('deleteUpload', { accountId, params: { token: id }, signal });
      await removeUpload(database, { id, owner });
    } catch (error) {
      // When the lease expires, the removal is tried again.
      log.info({ uploadId: id, err: error }, 'a file could not be removed yet');
    }
  });
}

function roundOf({ roundMs }: Pick<ReconcileOptions, 'roundMs'>, stopping: AbortSignal | undefined) {
  return { atOnce: maxCalls, withinMs: roundMs ?? defaultRoundMs, stopping };
}
