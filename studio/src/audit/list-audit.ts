import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type AdminEntry, type AuditRow, selectAdminEntries, selectEntries } from './store.ts';

export type { AdminEntry, AuditRow } from './store.ts';

const maxEntries = 200;

/** What was done to an account's way in, newest first, 200 entries at most. */
export async function listAudit(database: Database, accountId: string): Promise<AuditRow[]> {
  return selectEntries(database, accountId, maxEntries);
}

/** Acts on models, plans, styles and backends, newest first. */
export async function listActs(
  database: Database,
  { page, limit, subject }: { page: number; limit: number; subject?: string | undefined },
): Promise<{ acts: AdminEntry[]; hasMore: boolean }> {
  const found = await selectAdminEntries(database, {
    subject: subject ?? null,
    offset: (page - 1) * limit,
    limit: limit + 1,
  });
  return { acts: found.slice(0, limit), hasMore: found.length > limit };
}
