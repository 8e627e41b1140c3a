import type { Database } from '@renderkit/server-kit/db/database.ts';
import { checkPassword } from '../accounts/check-password.ts';
import type { PasswordChecks } from '../accounts/password-checks.ts';
import type { Proof } from '../sign-in/sessions.ts';
import { admitSignIn } from './throttle.ts';

type SignInDependencies = { database: Database; passwords: PasswordChecks };

export type SignInOutcome =
  | { outcome: 'signed_in'; proof: Proof }
  /** The same for a wrong password and for an account that does not exist, at the same cost. */
  | { outcome: 'wrong' }
  | { outcome: 'throttled'; retryAfterSeconds: number };

/**
 * Judges an e-mail address and a password. A suspended account may sign in: what it has can still be looked at, and
 * the refusals of everything else say why.
 * @throws PasswordChecksBusy
 */
export async function signIn(
  { email, password, address }: { email: string; password: string; address: string },
  { database, passwords }: SignInDependencies,
): Promise<SignInOutcome> {
  const admission = await admitSignIn(database, email, address);
  if (!admission.admitted) return { outcome: 'throttled', retryAfterSeconds: admission.retryAfterSeconds };
  const proof = await checkPassword({ email, password }, { database, passwords });
  if (proof === undefined) return { outcome: 'wrong' };
  await admission.forgive();
  return { outcome: 'signed_in', proof };
}
