import type { AuditAction, AuditActor } from '@renderkit/contract/console/schemas/audit.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';

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
