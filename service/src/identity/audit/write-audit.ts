import type { AuditAction } from '@renderkit/contract/console/schemas/audit.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Actor } from './actor.ts';
import { insertEntry } from './store.ts';

/** What was done, and to what. No detail is ever a secret. */
export type Act = {
  accountId: string;
  action: AuditAction;
  subjectId?: string | null;
  /** What it was called at that moment. */
  subjectName?: string | null;
  details?: Record<string, string>;
};

/** Writes down what is done, in the transaction that does it (`queryable`): there is one if and only if it was done. */
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
