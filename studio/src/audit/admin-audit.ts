import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { insertAdminEntry } from './store.ts';

/**
 * Who changes models, plans, styles or backends: the command line, a file at startup, the product, or an administrator.
 */
export type AdminActor = 'operator' | 'file' | 'product' | `account:${string}`;

export type AdminAct = {
  /** For example `model.published`. */
  action: string;
  /** For example `model:sdxl`, `backend:gpu1`, `plans`. */
  subject: string;
  /** The state before and after, where it is informative. No secrets. */
  before?: object;
  after?: object;
};

/**
 * Writes an audit entry in the transaction that makes the change: the entry exists if and only if the change was made.
 */
export function writeAdminAudit(queryable: Queryable, actor: AdminActor, act: AdminAct): Promise<void> {
  return insertAdminEntry(queryable, { ...act, id: newId('adm_'), actor });
}
