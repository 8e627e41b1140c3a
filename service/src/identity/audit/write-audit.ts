import type { AuditAction } from '@renderkit/contract/console/schemas/audit.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Actor } from './actor.ts';
import { insertEntry } from './store.ts';

/** What was done, and to what. `details` must never contain a secret. */
export type Act = {
  accountId: string;
  action: AuditAction;
  subjectId?: string | null;
  /** The subject's name at that time. */
  subjectName?: string | null;
  details?: Record<string, string>;
};

/**
 * Writes an audit entry. `queryable` must be the transaction that makes the change, so that the entry exists if and
 * only if the change does.
 */
export function writeAudit(queryable: Queryable, actor: Actor, act: Act): Promise<void> {
  const person = actor.kind === 'person' ? actor : undefined;
  return insertEntry(queryable, {
    id: newId('aud_'),
    account_id: act.accountId,
    actor: actor.kind,
    email: person?.email ?? null,
    session_id: person?.sessionId ?? null,
    action: act.action,
    subject_id: act.subjectId ?? null,
    subject_name: act.subjectName ?? null,
    details: act.details ?? {},
  });
}
