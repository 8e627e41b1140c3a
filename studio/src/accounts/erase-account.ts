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
 * The token of the last render emptied, for each account that needs more than one turn. Kept in memory only: a process
 * without the cursor goes through all renders of the account again.
 */
export type ErasureCursors = Map<string, string>;

/**
 * Erases the texts and media of deleted accounts that have no unfinished render. Erases a limited number of batches of
 * each account in one turn; the ledger stays, without a name. `service/src/operator/erase-accounts.ts` erases the texts
 * in the service. Returns whether work is left for another turn with the same cursors. An account that fails does not
 * stop the others: the first error is thrown at the end.
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
 * Erases the next rows of each kind. The files may still exist: the batch that deletes the rows announces the folders,
 * and `removeAbandonedFolders` in `studio/src/storage/orphan-folders.ts` retries until they are removed. When no rows
 * of any kind are left, marks the account as erased; its lock is held, so nothing is added meanwhile. Returns whether
 * there is more.
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
