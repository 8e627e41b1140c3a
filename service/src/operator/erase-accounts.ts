import type { Database } from '@renderkit/server-kit/database.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import { startLoop } from '@renderkit/server-kit/loop.ts';
import { eraseUploads } from '../uploads/erase-uploads.ts';
import { eraseAccount, eraseEvents, eraseGenerations, type ErasureCursor, selectErasable } from './store.ts';

const everyMs = 60_000;

/** Erases the texts of deleted accounts that have nothing under way any more. How many were erased. */
export async function eraseDeletedAccounts(database: Database): Promise<number> {
  const accountIds = await selectErasable(database);
  for (const accountId of accountIds) {
    let cursor: ErasureCursor | undefined = { created_at: '-infinity', id: '' };
    while (cursor !== undefined) cursor = await eraseGenerations(database, accountId, cursor);
    while ((await eraseEvents(database, accountId)) > 0);
    await eraseUploads(database, accountId);
    await eraseAccount(database, accountId);
  }
  return accountIds.length;
}

/** Erases, once a minute, the deleted accounts whose last generation has settled meanwhile. */
export function startErasure(options: {
  database: Database;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
}): AsyncDisposable {
  return startLoop({
    ...options,
    name: 'erasure of deleted accounts',
    everyMs,
    run: () => eraseDeletedAccounts(options.database),
  });
}
