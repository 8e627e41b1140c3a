import type { IdentityStore } from '../identity-store.ts';
import { checkPassword, type Proof } from '../passwords/check-password.ts';
import type { PasswordChecks } from '../passwords/hash-limiter.ts';
import { admitSignIn } from '../passwords/throttle.ts';

type SignInDependencies = { store: IdentityStore; passwords: PasswordChecks };

export type SignInOutcome =
  | { outcome: 'signed_in'; proof: Proof }
  /** The same for a wrong password and for an unknown account, at the same cost. */
  | { outcome: 'wrong' }
  | { outcome: 'throttled'; retryAfterSeconds: number };

/**
 * Checks an e-mail address and a password. A suspended account may sign in: its data can still be viewed, and all other
 * requests are refused with the reason.
 * @throws PasswordChecksBusy
 */
export async function signIn(
  { email, password, address }: { email: string; password: string; address: string },
  { store, passwords }: SignInDependencies,
): Promise<SignInOutcome> {
  const admission = await admitSignIn(store, email, address);
  if (!admission.admitted) return { outcome: 'throttled', retryAfterSeconds: admission.retryAfterSeconds };
  const proof = await checkPassword({ email, password }, { store, passwords });
  if (proof === undefined) return { outcome: 'wrong' };
  await admission.forgive();
  return { outcome: 'signed_in', proof };
}
