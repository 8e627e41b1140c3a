import { removeDeadDirectories } from '@renderkit/media-kit/temporary-directory.ts';
import { type BatchJob, runBatches } from '@renderkit/server-kit/work/batch-loop.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { type ErasureCursors, eraseDeletedAccounts } from './accounts/erase-account.ts';
import { deleteEndedResets } from './accounts/queries.ts';
import { deleteOldChanges } from './changes/queries.ts';
import { refillDueAccounts } from './credits/refill-account.ts';
import { deleteEndedWindows, deleteExpired } from './identity/queries.ts';
import { expireFrames } from './library/expire-frames.ts';
import { forgetOldProgress } from './progress/queries.ts';
import { endStranded, strandedPerRound } from './renders/end-stranded.ts';
import { removeAbandonedFolders } from './storage/orphan-folders.ts';
import { startMediaReconciliation } from './storage/reconcile-media.ts';
import { rejectOverdueUploads } from './uploads/check-upload.ts';
import { forgetDeletedUploads } from './uploads/queries.ts';
import { forgetSilentWorkers } from './workers/heartbeat.ts';

const everyMs = 60_000;
const stuckAfterMs = 10 * everyMs;
const changesKeptDays = 30;
// Longer than any upload takes.
const deletedUploadsKeptHours = 24;
const rowsPerBatch = 1_000;
/**
 * The time limit for each kind of work in one round: removing the files of a large account from a bucket can take long.
 */
const maxJobMs = 30_000;

type CleanDependencies = Parameters<typeof rejectOverdueUploads>[0];

/**
 * Cleans up once a minute. The reconciliation has a separate loop: it lists the whole storage, and due credits and
 * stranded renders cannot wait so long.
 */
export function startCleaning(
  dependencies: CleanDependencies & {
    /** The minimum age of media files that no row names, before they are removed. */
    mediaGraceSeconds: number;
    onStuck?: ((loop: string) => void) | undefined;
  },
): AsyncDisposable {
  const { log, mediaGraceSeconds: graceSeconds, onStuck } = dependencies;
  const cursors: ErasureCursors = new Map();
  const ordinary = { log, everyMs, stuckAfterMs, ...(onStuck && { onStuck }) };
  const owners = new AsyncDisposableStack();
  owners.use(
    startLoop({ ...ordinary, name: 'clean', run: (stopping) => clean(dependencies, stopping, cursors) }),
  );
  owners.use(startMediaReconciliation(dependencies, { ...ordinary, graceSeconds }));
  return owners;
}

/**
 * Runs one round of cleaning up: due refills, old changes, expired tokens, ended counts of tries and reset links,
 * progress of ended renders, unchecked uploads, renders that nothing can make, deleted accounts, frames that nobody
 * kept, files left behind, killed workers and what they left on this machine. Works in batches; the rest waits for the
 * next round, which continues at `cursors`. Work that fails does not stop the other work: the first error is thrown at
 * the end.
 */
export async function clean(
  dependencies: CleanDependencies,
  stopping: AbortSignal,
  cursors: ErasureCursors = new Map(),
): Promise<void> {
  const { database, storage } = dependencies;
  const jobs: BatchJob[] = [
    async () => (await refillDueAccounts(database)) > 0,
    async () => (await deleteOldChanges(database, changesKeptDays, rowsPerBatch)) > 0,
    async () => (await deleteExpired(database, rowsPerBatch)) === rowsPerBatch,
    async () => (await deleteEndedWindows(database, rowsPerBatch)) === rowsPerBatch,
    async () => (await deleteEndedResets(database, rowsPerBatch)) === rowsPerBatch,
    async () => (await forgetOldProgress(database, rowsPerBatch)) === rowsPerBatch,
    async () => (await rejectOverdueUploads(dependencies)) > 0,
    async () => (await endStranded(dependencies)) === strandedPerRound,
    async () =>
      (await forgetDeletedUploads(database, deletedUploadsKeptHours, rowsPerBatch)) === rowsPerBatch,
    async () => eraseDeletedAccounts(database, cursors),
    async () => (await expireFrames(database, storage)) > 0,
    async () => (await removeAbandonedFolders(database, storage)) > 0,
    async () => (await forgetSilentWorkers(database), false),
    async () => (await removeDeadDirectories(), false),
  ];
  await runBatches(jobs, { maxJobMs, stopping });
}
