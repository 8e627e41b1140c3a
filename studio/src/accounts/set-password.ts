import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { deleteResetOf, deleteSessions, updatePassword } from './password-store.ts';
import { lockAccount } from './store.ts';

export type NewPassword = {
  accountId: string;
  passwordHash: string;
  /** The password version that the person's change is based on. `undefined`: any. */
  version?: number;
};

/**
 * Sets a password in the caller's transaction. Ends all sessions of the account at the studio and its reset link. Does
 * not check the password: the pages do, by `passwordError` in `identity/src/passwords/password-rules.ts`. Connections
 * continue: keys work and queued jobs run. Returns the new version, or `undefined` when the account is deleted or the
 * password was changed meanwhile.
 */
export async function setPassword(
  transaction: Transaction,
  { accountId, passwordHash, version }: NewPassword,
  by: { actor: Actor; action: 'password.changed' | 'password.reset' | 'password.set' },
): Promise<number | undefined> {
  // Locks the account first, as everywhere. Creating and using a link wait here and so cannot deadlock.
  await lockAccount(transaction, accountId);
  const newVersion = await updatePassword(transaction, accountId, passwordHash, version);
  if (newVersion === undefined) return undefined;
  await deleteResetOf(transaction, accountId);
  await deleteSessions(transaction, accountId);
  await writeAudit(transaction, by.actor, { accountId, action: by.action });
  return newVersion;
}

/**
 * Changes the password by the person's own request, in a separate transaction. Of two changes at once, one succeeds and
 * the other returns `undefined`.
 */
export async function changePassword(
  database: Database,
  password: Required<NewPassword>,
  actor: Actor,
): Promise<number | undefined> {
  return database.transaction((transaction) =>
    setPassword(transaction, password, { actor, action: 'password.changed' }),
  );
}
