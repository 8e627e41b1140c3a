import type { Database } from '@renderkit/server-kit/database.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import { startLoop } from '@renderkit/server-kit/loop.ts';
import { eraseAudit } from '../audit/erase-audit.ts';
import { eraseUploads } from '../uploads/erase-uploads.ts';
import { eraseAccount, eraseEvents, eraseGenerations, type ErasureCursor, selectErasable } from './store.ts';

const everyMs = 60_000;
const batchesPerRound = 50;

/** How far the generations of accounts are erased that were too many for one round. */
export type ErasureCursors = Map<string, ErasureCursor | 'end'>;

/**
 * Erases the texts of deleted accounts that have nothing under way any more, a bounded number of batches. How many
 * accounts are erased now, and whether something is left to be gone on with by the same cursors.
 */
export async function eraseDeletedAccounts(
  database: Database,
  cursors: ErasureCursors = new Map(),
  batches = batchesPerRound,
): Promise<{ erased: number; more: boolean }> {
  let erased = 0;
  let left = batches;
  for (const accountId of await selectErasable(database)) {
    do if (left-- === 0) return { erased, more: true };
    while (await eraseBatch(database, accountId, cursors));
    await eraseAccount(database, accountId);
    cursors.delete(accountId);
    erased++;
  }
  return { erased, more: false };
}

/** False where nothing was left. */
async function eraseBatch(database: Database, accountId: string, cursors: ErasureCursors): Promise<boolean> {
  const cursor = cursors.get(accountId) ?? { created_at: '-infinity', id: '' };
  if (cursor !== 'end') {
    cursors.set(accountId, (await eraseGenerations(database, accountId, cursor)) ?? 'end');
    return true;
  }
  // Before the events: an upload that settles writes one, and it would stay.
  if ((await eraseUploads(database, accountId)) > 0) return true;
  if ((await eraseAudit(database, accountId)) > 0) return true;
  return (await eraseEvents(database, accountId)) > 0;
}

/** Erases, once a minute, the deleted accounts whose last generation has settled meanwhile. */
export function startErasure(options: {
  database: Database;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
}): AsyncDisposable {
  const cursors: ErasureCursors = new Map();
  const loop = startLoop({
    ...options,
    name: 'erasure of deleted accounts',
    everyMs,
    run: async () => {
      if ((await eraseDeletedAccounts(options.database, cursors)).more) loop.wake();
    },
  });
  return loop;
}
