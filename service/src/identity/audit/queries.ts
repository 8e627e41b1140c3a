import type { AuditAction, AuditActor, AuditEntry } from '@renderkit/contract/console/schemas/audit.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AuditRow } from './store.ts';

/** Returns what was done on an account, newest first; `limit` entries from `offset` on. */
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
  const conditions = ['account_id = $1'];
  const values: unknown[] = [filter.accountId, filter.offset, filter.limit];
  for (const name of ['action', 'actor'] as const)
    if (filter[name] !== undefined) conditions.push(`${name} = $${values.push(filter[name])}`);
  const rows = await database.rows<AuditRow>(
    `select id, at, actor, email, session_id, action, subject_id, subject_name, details
       from audit_entries where ${conditions.join(' and ')}
      order by at desc, id desc offset $2 limit $3`,
    values,
  );
  return rows.map(({ at, ...row }) => ({ ...row, object: 'audit_entry', at: at.toISOString() }));
}

/**
 * Erases the next 1,000 audit entries of a deleted account, because they name people. Returns how many; 0: nothing is
 * left.
 */
export function eraseAudit(database: Database, accountId: string): Promise<number> {
  return database.execute(
    'delete from audit_entries where id in (select id from audit_entries where account_id = $1 limit 1000)',
    [accountId],
  );
}
