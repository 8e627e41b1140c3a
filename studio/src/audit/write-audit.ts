import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { AuditRow } from './queries.ts';
import { insertEntry } from './store.ts';

/** Who does something to an account, and from which network address; null for what is done on the machine itself. */
export type Actor = { kind: 'person' | 'link'; address: string } | { kind: 'operator'; address: null };

export const operator: Actor = { kind: 'operator', address: null };

/** Writes down what is done, in the transaction that does it: there is an entry if and only if it was done. */
export function writeAudit(
  queryable: Queryable,
  actor: Actor,
  act: { accountId: string; action: AuditRow['action'] },
): Promise<void> {
  return insertEntry(queryable, { ...act, id: newId('aud_'), actor: actor.kind, address: actor.address });
}
