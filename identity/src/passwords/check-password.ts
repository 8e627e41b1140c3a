import type { IdentityStore } from '../identity-store.ts';
import type { PasswordChecks } from './password-checks.ts';

/** Somebody who has just shown that they know the account's password, and which of its passwords that was. */
export type Proof = { accountId: string; passwordVersion: number };

/**
 * The account that has this address and this password. That there is no such account shows neither in the answer nor in
 * what it costs.
 * @throws PasswordChecksBusy
 */
export async function checkPassword(
  { email, password }: { email: string; password: string },
  { store, passwords }: { store: IdentityStore; passwords: PasswordChecks },
): Promise<Proof | undefined> {
  const row = await store.findPassword(email);
  const matches = await passwords.verify(password, row?.password_hash ?? undefined);
  return matches && row !== undefined
    ? { accountId: row.id, passwordVersion: row.password_version }
    : undefined;
}
