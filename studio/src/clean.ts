import { removeDeadDirectories } from '@renderkit/media-kit/temporary-directory.ts';
import { type BatchJob, runBatches } from '@renderkit/server-kit/work/batch-loop.ts';
import { eraseDeletedAccounts } from './accounts/erase-account.ts';
import { deleteEndedResets } from './accounts/password-store.ts';
import { deleteOldChanges } from './changes/store.ts';
import { refillDueAccounts } from './credits/refill-account.ts';
import { deleteEndedWindows, deleteExpired } from './identity/store.ts';
import { expireFrames } from './library/expire-frames.ts';
import { forgetOldProgress } from './progress/store.ts';
import { endStranded, strandedPerRound } from './renders/end-stranded.ts';
import { removeAbandonedFolders } from './storage/orphan-folders.ts';
import { sweepMedia } from './storage/sweep-media.ts';
import { rejectOverdueUploads } from './uploads/check-upload.ts';
import { forgetDeletedUploads } from './uploads/store.ts';
import { forgetSilentWorkers } from './workers/heartbeat.ts';

export const cleanEveryMs = 60_000;
const changesKeptDays = 30;
// Longer than any file is on its way.
const deletedUploadsKeptHours = 24;
const rowsPerBatch = 1_000;

type CleanDependencies = Parameters<typeof rejectOverdueUploads>[0] & {
  /** How old media have to be that nothing names. */
  mediaGraceSeconds: number;
};

/**
 * One round of cleaning up: due refills, old changes, expired tokens, ended counts of tries and reset links, progress of renders
 * that ended, uploads that nobody checked, renders that nothing can make, accounts that were deleted, frames that nobody kept,
 * files that nothing names, workers that were killed and what they left on this machine. In batches; what is left waits for the
 * next round.
 */
export async function clean(dependencies: CleanDependencies, stopping: AbortSignal): Promise<void> {
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
    async () => (await eraseDeletedAccounts(database, storage)) > 0,
    async () => (await expireFrames(database, storage)) > 0,
    async () => (await removeAbandonedFolders(database, storage)) > 0,
    async () => (
      await sweepMedia(dependencies, { graceSeconds: dependencies.mediaGraceSeconds, stopping }),
      false
    ),
    async () => (await forgetSilentWorkers(database), false),
    async () => (await removeDeadDirectories(), false),
  ];
  await runBatches(jobs, { stopping });
}
