import type { AuditAction, AuditActor } from '@renderkit/contract/console/schemas/audit.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

export type AuditRow = {
  id: string;
  at: Date;
  actor: AuditActor;
  email: string | null;
  session_id: string | null;
  action: AuditAction;
  subject_id: string | null;
  subject_name: string | null;
  details: Record<string, string>;
};

export async function insertEntry(
  queryable: Queryable,
  entry: Omit<AuditRow, 'at'> & { account_id: string },
): Promise<void> {
  await queryable.execute(
    `insert into audit_entries (id, account_id, actor, email, session_id, action, subject_id, subject_name, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      entry.id,
      entry.account_id,
      entry.actor,
      entry.email,
      entry.session_id,
      entry.action,
      entry.subject_id,
      entry.subject_name,
      JSON.stringify(entry.details),
    ],
  );
}

/** Newest first. */
export function selectEntries(
  database: Database,
  filter: {
    accountId: string;
    action?: AuditAction | undefined;
    actor?: AuditActor | undefined;
    offset: number;
    limit: number;
  },
): Promise<AuditRow[]> {
  const conditions = ['account_id = $1'];
  const values: unknown[] = [filter.accountId, filter.offset, filter.limit];
  for (const name of ['action', 'actor'] as const)
    if (filter[name] !== undefined) conditions.push(`${name} = $${values.push(filter[name])}`);
  return database.rows<AuditRow>(
    `select id, at, actor, email, session_id, action, subject_id, subject_name, details
       from audit_entries where ${conditions.join(' and ')}
      order by at desc, id desc offset $2 limit $3`,
    values,
  );
}

/** Erases the next 1,000 entries of an account; how many there were. */
export async function deleteEntries(database: Database, accountId: string): Promise<number> {
  const removed = await database.execute(
    'delete from audit_entries where id in (select id from audit_entries where account_id = $1 limit 1000)',
    [accountId],
  );
  return removed;
}
