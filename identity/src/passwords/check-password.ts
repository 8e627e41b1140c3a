import type { IdentityStore } from '../identity-store.ts';
import type { PasswordChecks } from './hash-limiter.ts';

/** Proof that a person knows an account's password; `passwordVersion` names which of its passwords. */
export type Proof = { accountId: string; passwordVersion: number };

/**
 * Returns the proof for the account with this address and password; `undefined` where there is none. An unknown account
 * gives the same answer at the same cost as a wrong password. The caller counts the tries by `throttle.ts`.
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
