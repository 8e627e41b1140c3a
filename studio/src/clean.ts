import { eraseDeletedAccounts } from './accounts/erase-account.ts';
import { deleteOldChanges } from './changes/store.ts';
import { refillDueAccounts } from './credits/refill-account.ts';
import { failForgottenRenders, type LostDependencies } from './renders/run-render.ts';
import { deleteExpired } from './sign-in/store.ts';

export const cleanEveryMs = 60_000;
const changesKeptDays = 30;
const rowsPerBatch = 1_000;
const batchesPerRound = 50;

/**
 * One round of keeping house: due refills, old changes, expired tokens, renders without a job,
 * accounts that were deleted. In batches.
 */
export async function clean(dependencies: LostDependencies, stopping: AbortSignal): Promise<void> {
  const { database, storage } = dependencies;
  const jobs = [
    async () => (await refillDueAccounts(database)) > 0,
    async () => (await deleteOldChanges(database, changesKeptDays, rowsPerBatch)) > 0,
    async () => (await deleteExpired(database, rowsPerBatch)) === rowsPerBatch,
    async () => (await failForgottenRenders(dependencies)) > 0,
    async () => (await eraseDeletedAccounts(database, storage)) > 0,
  ];
  for (const job of jobs)
    for (let batch = 0; batch < batchesPerRound && !stopping.aborted; batch++) if (!(await job())) break;
}
