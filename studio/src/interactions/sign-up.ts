import type { Database } from '@renderkit/server-kit/database.ts';
import { createAccount } from '../accounts/create-account.ts';
import type { PasswordChecks } from '../accounts/password-checks.ts';
import { admitSignUp } from './throttle.ts';

export type SignUpOutcome =
  /** The account is there now, made just now or long ago: who asks learns no more than that. */
  { outcome: 'there' } | { outcome: 'throttled'; retryAfterSeconds: number };

/**
 * Makes an account, unless the address has one, which is then left as it is. Nobody is signed in by this: the answer
 * is the same either way, and only whoever knows the account's password gets further. New accounts are on the free
 * plan.
 * @throws PasswordChecksBusy
 */
export async function signUp(
  person: { email: string; name: string; password: string; address: string },
  { database, passwords }: { database: Database; passwords: PasswordChecks },
): Promise<SignUpOutcome> {
  const admission = await admitSignUp(database, person.address);
  if (!admission.admitted) return { outcome: 'throttled', retryAfterSeconds: admission.retryAfterSeconds };
  const passwordHash = await passwords.hash(person.password);
  await createAccount(database, {
    email: person.email,
    name: person.name,
    passwordHash,
    tier: 'free',
    creditsMillicredits: undefined,
  });
  return { outcome: 'there' };
}
