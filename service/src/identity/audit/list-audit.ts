import type { AuditAction, AuditActor, AuditEntry } from '@renderkit/contract/console/schemas/audit.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { selectEntries } from './store.ts';

/** What was done on an account, newest first; `limit` entries from `offset` on. */
export async function listAudit(
  database: Database,
  filter: {
    accountId: string;
    action?: AuditAction | undefined;
    actor?: AuditActor | undefined;
    offset: number;
    limit: number;
  },
): Promise<AuditEntry[]> {
  return (await selectEntries(database, filter)).map(({ at, ...row }) => ({
    ...row,
    object: 'audit_entry',
    at: at.toISOString(),
  }));
}
