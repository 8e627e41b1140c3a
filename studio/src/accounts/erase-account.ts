import type { Database } from '@renderkit/server-kit/db/database.ts';
import { runEach } from '@renderkit/server-kit/work/run-each.ts';
import {
  accountsToErase,
  deleteAssets,
  deleteRowsWithoutFile,
  deleteUploads,
  emptyRenders,
  lockDoomed,
  markErased,
} from './erase-store.ts';

/** Small enough that no statement comes near its time-out on a slow disk. */
const rowsPerBatch = 500;
const batchesPerTurn = 50;

/**
 * The last render, by its token, that was emptied of each account that takes more than a turn. Only what is in memory: whoever
 * has lost it looks at all of them again.
 */
export type ErasureCursors = Map<string, string>;

/**
 * Erases the texts and media of accounts that were deleted and have nothing running any more, a bounded number of batches of
 * each. What stays is the ledger, without a name. Returns whether something is left for another turn, with the same cursors. An
 * account that fails keeps no other from being erased: the first error is thrown at the end.
 */
export async function eraseDeletedAccounts(
  database: Database,
  cursors: ErasureCursors = new Map(),
  { rows = rowsPerBatch, batches = batchesPerTurn } = {},
): Promise<boolean> {
  const accounts = await accountsToErase(database, batches);
  const batchesOfEach = Math.floor(batches / Math.max(1, accounts.length));
  let left = accounts.length === batches;
  await runEach(accounts, async (account) => {
    let more = true;
    for (let i = 0; more && i < batchesOfEach; i++) more = await eraseBatch(database, account, cursors, rows);
    left ||= more;
  });
  return left;
}

/**
 * Erases the next rows of each kind. Files need not be gone before: the batch that deletes their rows announces their folders,
 * and `removeAbandonedFolders` removes them however often that fails. Where none were left of any kind, under the lock without which
 * nothing is added, the account is erased. Returns whether there is more.
 */
async function eraseBatch(
  database: Database,
  account: string,
  cursors: ErasureCursors,
  atMost: number,
): Promise<boolean> {
  const after = cursors.get(account) ?? '';
  const { more, last } = await database.transaction(async (transaction) => {
    if (!(await lockDoomed(transaction, account))) return { more: false, last: undefined };
    const assets = await deleteAssets(transaction, account, atMost);
    const uploads = await deleteUploads(transaction, account, atMost);
    const others = await deleteRowsWithoutFile(transaction, account, atMost);
    const renders = await emptyRenders(transaction, account, { after, atMost });
    if (assets || uploads || others || renders.more) return { more: true, last: renders.last };
    await markErased(transaction, account);
    return { more: false, last: undefined };
  });
  if (last === undefined) cursors.delete(account);
  else cursors.set(account, last);
  return more;
}
