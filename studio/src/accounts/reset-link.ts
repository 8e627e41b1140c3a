import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type Actor, operator, writeAudit } from '../audit/write-audit.ts';
import { findReset, replaceReset, takeReset } from './password-store.ts';
import { setPassword } from './set-password.ts';
import { lockAccount } from './store.ts';

export const resetLinkSeconds = 60 * 60;

const tokenShape = /^[\w-]{43}$/;
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');

/**
 * Creates the token of a reset link: 256 random bits that set one password within an hour. An older link of the account
 * becomes invalid. `expiresAt` is ISO 8601. `identity/src/account-pages/reset-password.ts` is the page that uses the
 * token.
 */
export async function createResetToken(
  database: Database,
  accountId: string,
): Promise<{ token: string; expiresAt: string }> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = await database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    const ends = await replaceReset(transaction, accountId, hashOf(token), resetLinkSeconds);
    await writeAudit(transaction, operator, { accountId, action: 'reset_link.created' });
    return ends;
  });
  return { token, expiresAt };
}

/**
 * Returns the account whose password the token sets; `undefined` when the token is used, expired, replaced or unknown.
 * Does not use up the token.
 */
export async function findResetToken(
  database: Database,
  token: string,
): Promise<{ accountId: string; email: string } | undefined> {
  if (!tokenShape.test(token)) return undefined;
  const row = await findReset(database, hashOf(token));
  return row && { accountId: row.account_id, email: row.email };
}

/**
 * Sets a password by a token and uses up the token in the same transaction. Returns `false` when the token is no longer
 * valid.
 */
export async function resetPassword(
  database: Database,
  { token, passwordHash }: { token: string; passwordHash: string },
  actor: Actor,
): Promise<boolean> {
  if (!tokenShape.test(token)) return false;
  return database.transaction(async (transaction) => {
    const found = await findReset(transaction, hashOf(token));
    if (found === undefined) return false;
    const accountId = found.account_id;
    // Locks the account before the link's row. In the opposite order, this and the creation of a new link could
    // deadlock.
    await lockAccount(transaction, accountId);
    if (!(await takeReset(transaction, hashOf(token)))) return false;
    const done = { actor, action: 'password.reset' } as const;
    return (await setPassword(transaction, { accountId, passwordHash }, done)) !== undefined;
  });
}
