import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import type { AuditRow } from './queries.ts';

export async function insertEntry(
  queryable: Queryable,
  entry: Omit<AuditRow, 'at'> & { accountId: string },
): Promise<void> {
  await queryable.execute(
    'insert into audit_entries (id, account_id, actor, action, address) values ($1, $2, $3, $4, $5)',
    [entry.id, entry.accountId, entry.actor, entry.action, entry.address],
  );
}

export async function insertAdminEntry(
  queryable: Queryable,
  entry: { id: string; actor: string; action: string; subject: string; before?: object; after?: object },
): Promise<void> {
  await queryable.execute(
    'insert into admin_audit (id, actor, action, subject, before, after) values ($1, $2, $3, $4, $5, $6)',
    [
      entry.id,
      entry.actor,
      entry.action,
      entry.subject,
      entry.before === undefined ? null : JSON.stringify(entry.before),
      entry.after === undefined ? null : JSON.stringify(entry.after),
    ],
  );
}
