import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { deleteResetOf, deleteSessions, updatePassword } from './password-store.ts';
import { lockAccount } from './store.ts';

export type NewPassword = {
  accountId: string;
  passwordHash: string;
  /** The version that the person knew; undefined: whatever it is. */
  version?: number;
};

/**
 * Sets a password in the caller's transaction. Every session of the account at the studio ends with it, and a reset link
 * too. Connections go on: keys work and queued jobs run. Returns the new version, or undefined where the account is gone
 * or the password was changed meanwhile.
 */
export async function setPassword(
  transaction: Transaction,
  { accountId, passwordHash, version }: NewPassword,
  by: { actor: Actor; action: 'password.changed' | 'password.reset' | 'password.set' },
): Promise<number | undefined> {
  // First of all, as everywhere: whoever makes or uses a link waits here, and not for each other.
  await lockAccount(transaction, accountId);
  const newVersion = await updatePassword(transaction, accountId, passwordHash, version);
  if (newVersion === undefined) return undefined;
  await deleteResetOf(transaction, accountId);
  await deleteSessions(transaction, accountId);
  await writeAudit(transaction, by.actor, { accountId, action: by.action });
  return newVersion;
}

/** The person's own change, in a transaction of its own. Two at once: one wins, the other returns undefined. */
export async function changePassword(
  database: Database,
  password: Required<NewPassword>,
  actor: Actor,
): Promise<number | undefined> {
  return database.transaction((transaction) =>
    setPassword(transaction, password, { actor, action: 'password.changed' }),
  );
}
