import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { AuditRow } from './queries.ts';
import { insertEntry } from './store.ts';

/** Who changes an account, and from which network address. `null`: the change was made on the machine itself. */
export type Actor = { kind: 'person' | 'link'; address: string } | { kind: 'operator'; address: null };

export const operator: Actor = { kind: 'operator', address: null };

/**
 * Writes an audit entry in the transaction that makes the change: the entry exists if and only if the change was made.
 */
export function writeAudit(
  queryable: Queryable,
  actor: Actor,
  act: { accountId: string; action: AuditRow['action'] },
): Promise<void> {
  return insertEntry(queryable, { ...act, id: newId('aud_'), actor: actor.kind, address: actor.address });
}
