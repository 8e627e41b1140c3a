import type { IdentityStore } from '../identity-store.ts';
import type { PasswordChecks } from '../passwords/hash-limiter.ts';
import { admitSignUp } from '../passwords/throttle.ts';
import { signIn, type SignInOutcome } from './sign-in.ts';

/**
 * Creates an account on the free plan and signs it in. `initialPlan` in `studio/src/catalog/snapshot.ts` chooses the
 * plan. If the address has an account already, that account stays unchanged and this becomes a try to sign in to it: it
 * counts and ends like one.
 * @throws PasswordChecksBusy
 */
export async function signUp(
  person: { email: string; name: string; password: string; address: string },
  { store, passwords }: { store: IdentityStore; passwords: PasswordChecks },
): Promise<SignInOutcome> {
  const admission = await admitSignUp(store, person.address);
  if (!admission.admitted) return { outcome: 'throttled', retryAfterSeconds: admission.retryAfterSeconds };
  const passwordHash = await passwords.hash(person.password);
  const accountId = await store.createAccount(
    { email: person.email, name: person.name, passwordHash },
    person.address,
  );
  if (accountId === undefined) return signIn(person, { store, passwords });
  return { outcome: 'signed_in', proof: { accountId, passwordVersion: 0 } };
}
