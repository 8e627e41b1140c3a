import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

export type AuditRow = {
  id: string;
  /** ISO 8601, UTC. */
  at: string;
  actor: 'person' | 'link' | 'operator';
  action: 'account.created' | 'password.changed' | 'password.reset' | 'password.set' | 'reset_link.created';
  address: string | null;
};

export async function insertEntry(
  queryable: Queryable,
  entry: Omit<AuditRow, 'at'> & { accountId: string },
): Promise<void> {
  await queryable.execute(
    'insert into audit_entries (id, account_id, actor, action, address) values ($1, $2, $3, $4, $5)',
    [entry.id, entry.accountId, entry.actor, entry.action, entry.address],
  );
}

export async function selectEntries(
  database: Database,
  account: string,
  atMost: number,
): Promise<AuditRow[]> {
  return database.rows<AuditRow>(
    `select id, iso_time(at) as at, actor, action, address from audit_entries
     where account_id = $1 order by at desc, id desc limit $2`,
    [account, atMost],
  );
}

export type AdminEntry = {
  id: string;
  /** ISO 8601. */
  at: string;
  /** `operator`, `file`, `product` or `account:ID`. */
  actor: string;
  /** Of the account, now. */
  email: string | null;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
};

/** Newest first. `subject` null: of all. */
export async function selectAdminEntries(
  database: Database,
  { subject, offset, limit }: { subject: string | null; offset: number; limit: number },
): Promise<AdminEntry[]> {
  return database.rows<AdminEntry>(
    `select e.id, iso_time(e.at) as at, e.actor, a.email, e.action, e.subject, e.before, e.after
     from admin_audit e left join accounts a on e.actor = 'account:' || a.id
     ${subject === null ? '' : 'where e.subject = $3'} order by e.at desc, e.id desc offset $1 limit $2`,
    subject === null ? [offset, limit] : [offset, limit, subject],
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
