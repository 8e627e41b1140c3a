import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startBatchLoop } from '@renderkit/server-kit/work/batch-loop.ts';
import { eraseAudit } from '../identity/audit/queries.ts';
import { eraseUploads } from '../uploads/queries.ts';
import {
  type Deleted,
  eraseAccount,
  eraseEvents,
  eraseGenerations,
  type ErasureCursor,
  isStillDeleted,
  selectErasable,
} from './store.ts';

const everyMs = 60_000;
const batchesPerRound = 50;

/**
 * How far the erasure of generations has got, for accounts with too many for one round, by account and deletion time.
 */
export type ErasureCursors = Map<string, ErasureCursor | 'end'>;

/**
 * Erases the texts of deleted accounts that have nothing running any more, in at most `batches` batches. Returns how
 * many accounts are now erased, and whether something is left. The next call with the same cursors continues.
 */
export async function eraseDeletedAccounts(
  database: Database,
  cursors: ErasureCursors = new Map(),
  batches = batchesPerRound,
): Promise<{ erased: number; more: boolean }> {
  let erased = 0;
  let left = batches;
  for (const account of await selectErasable(database)) {
    do if (left-- === 0) return { erased, more: true };
    while (await eraseBatch(database, account, cursors));
    if (await eraseAccount(database, account)) erased++;
    cursors.delete(placeOf(account));
  }
  return { erased, more: false };
}

function placeOf(account: Deleted): string {
  return `${account.id} ${account.deleted_at}`;
}

/** Returns false when nothing was left, or when the account was connected again. */
async function eraseBatch(database: Database, account: Deleted, cursors: ErasureCursors): Promise<boolean> {
  if (!(await isStillDeleted(database, account))) return false;
  const accountId = account.id;
  const cursor = cursors.get(placeOf(account)) ?? { created_at: '-infinity', id: '' };
  if (cursor !== 'end') {
    cursors.set(placeOf(account), (await eraseGenerations(database, accountId, cursor)) ?? 'end');
    return true;
  }
  // Uploads come before events: an upload that settles writes an event, which would otherwise stay.
  if ((await eraseUploads(database, accountId)) > 0) return true;
  if ((await eraseAudit(database, accountId)) > 0) return true;
  return (await eraseEvents(database, accountId)) > 0;
}

/** Once a minute, erases the deleted accounts whose last generation has settled. */
export function startErasure(options: {
  database: Database;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
}): AsyncDisposable {
  const cursors: ErasureCursors = new Map();
  return startBatchLoop({
    ...options,
    name: 'erasure of deleted accounts',
    everyMs,
    round: async () => (await eraseDeletedAccounts(options.database, cursors)).more,
  });
}
