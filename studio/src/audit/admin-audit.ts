import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { insertAdminEntry } from './store.ts';

/** Who acts on models, plans, styles or backends: the command line, a file at a start, the product, or an administrator. */
export type AdminActor = 'operator' | 'file' | 'product' | `account:${string}`;

export type AdminAct = {
  /** `model.published`. */
  action: string;
  /** `model:sdxl`, `backend:gpu1`, `plans`. */
  subject: string;
  /** What was so before, and is now, as far as it tells something. No secrets. */
  before?: object;
  after?: object;
};

/** Writes down what is done, in the transaction that does it: there is an entry if and only if it was done. */
export function writeAdminAudit(queryable: Queryable, actor: AdminActor, act: AdminAct): Promise<void> {
  return insertAdminEntry(queryable, { ...act, id: newId('adm_'), actor });
}
