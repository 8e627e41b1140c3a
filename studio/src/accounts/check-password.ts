import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Proof } from '../sign-in/sessions.ts';
import type { PasswordChecks } from './password-checks.ts';
import { findPassword } from './password-store.ts';

/**
 * The account that has this address and this password. That there is no such account shows neither in the answer nor in
 * what it costs.
 * @throws PasswordChecksBusy
 */
export async function checkPassword(
  { email, password }: { email: string; password: string },
  { database, passwords }: { database: Database; passwords: PasswordChecks },
): Promise<Proof | undefined> {
  const row = await findPassword(database, email);
  const matches = await passwords.verify(password, row?.password_hash ?? undefined);
  return matches && row !== undefined
    ? { accountId: row.id, passwordVersion: row.password_version }
    : undefined;
}
