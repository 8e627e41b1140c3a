import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type AuditRow, selectEntries } from './store.ts';

export type { AuditRow } from './store.ts';

const maxEntries = 200;

/** What was done to an account's way in, newest first, 200 entries at most. */
export async function listAudit(database: Database, accountId: string): Promise<AuditRow[]> {
  return selectEntries(database, accountId, maxEntries);
}
