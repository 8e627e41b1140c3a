import type { Database } from '@renderkit/server-kit/database.ts';
import type { PasswordChecks } from './password-checks.ts';
import { findPasswordHash } from './store.ts';

/**
 * The id of the account that has this address and this password. That there is no such account shows neither in the
 * answer nor in what it costs.
 * @throws PasswordChecksBusy
 */
export async function checkPassword(
  { email, password }: { email: string; password: string },
  { database, passwords }: { database: Database; passwords: PasswordChecks },
): Promise<string | undefined> {
  const account = await findPasswordHash(database, email);
  const matches = await passwords.verify(password, account?.passwordHash ?? undefined);
  return matches ? account?.id : undefined;
}
