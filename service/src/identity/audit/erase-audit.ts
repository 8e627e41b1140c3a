import type { Database } from '@renderkit/server-kit/db/database.ts';
import { deleteEntries } from './store.ts';

/** Erases some of what was written down about a deleted account: names and addresses of people. 0: nothing is left. */
export function eraseAudit(database: Database, accountId: string): Promise<number> {
  return deleteEntries(database, accountId);
}
