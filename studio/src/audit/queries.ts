import type { Database } from '@renderkit/server-kit/db/database.ts';

const maxEntries = 200;

export type AuditRow = {
  id: string;
  /** ISO 8601, UTC. */
  at: string;
  actor: 'person' | 'link' | 'operator';
  action: 'account.created' | 'password.changed' | 'password.reset' | 'password.set' | 'reset_link.created';
  address: string | null;
};

/** Returns the audit entries about an account's sign-in, newest first, at most 200. */
export async function listAudit(database: Database, accountId: string): Promise<AuditRow[]> {
  return database.rows<AuditRow>(
    `select id, iso_time(at) as at, actor, action, address from audit_entries
     where account_id = $1 order by at desc, id desc limit $2`,
    [accountId, maxEntries],
  );
}

export type AdminEntry = {
  id: string;
  /** ISO 8601. */
  at: string;
  /** `operator`, `file`, `product` or `account:ID`. */
  actor: string;
  /** The account's current address. */
  email: string | null;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
};

/** Returns changes of models, plans, styles and backends, newest first. */
export async function listActs(
  database: Database,
  { page, limit, subject }: { page: number; limit: number; subject?: string | undefined },
): Promise<{ acts: AdminEntry[]; hasMore: boolean }> {
  const found = await database.rows<AdminEntry>(
    `select e.id, iso_time(e.at) as at, e.actor, a.email, e.action, e.subject, e.before, e.after
     from admin_audit e left join accounts a on e.actor = 'account:' || a.id
     ${subject === undefined ? '' : 'where e.subject = $3'} order by e.at desc, e.id desc offset $1 limit $2`,
    [(page - 1) * limit, limit + 1, ...(subject === undefined ? [] : [subject])],
  );
  return { acts: found.slice(0, limit), hasMore: found.length > limit };
}
