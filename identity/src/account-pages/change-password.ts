import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type Provider from 'oidc-provider';
import type { Session } from 'oidc-provider';
import type { IdentityStore } from '../identity-store.ts';
import type { ClientFacts } from '../pages/page.ts';
import { readEmail } from '../pages/read-fields.ts';
import type { Answer } from '../pages/send-page.ts';
import { tooMany } from '../pages/too-many.ts';
import { checkPassword } from '../passwords/check-password.ts';
import type { PasswordChecks } from '../passwords/hash-limiter.ts';
import { passwordError } from '../passwords/password-rules.ts';
import { admitSignIn } from '../passwords/throttle.ts';
import { renewSession, sessionOf } from '../provider/sessions.ts';
import { changePasswordPage, passwordChangedPage } from './pages.ts';
import type { Visit } from './visit.ts';

export type ChangeDependencies = {
  store: IdentityStore;
  provider: Provider;
  client: ClientFacts;
  passwords: PasswordChecks;
  publicUrl: string;
  log: Logger;
};

/** Shows the form for the current and the new password. */
export async function showChangePassword(visit: Visit, dependencies: ChangeDependencies): Promise<Answer> {
  const { store, provider, client } = dependencies;
  const signedIn = await emailOf(await sessionOf(provider, visit.browser), store);
  const hint = visit.query.get('login_hint') ?? undefined;
  // `login_hint` names the account that the client means. If it differs from the signed-in account, that session is
  // ignored.
  const isSignedIn = signedIn !== undefined && (hint === undefined || hint === signedIn);
  return { page: changePasswordPage({ client, email: isSignedIn ? signedIn : hint, isSignedIn }) };
}

/**
 * Changes the password of a person who has the current one, signed in or not. Counts a wrong current password like a
 * failed try to sign in. The browser that sent the form stays signed in. `setPassword` in
 * `studio/src/accounts/set-password.ts` ends the other sessions.
 * @throws PasswordChecksBusy
 */
export async function changePasswordByForm(visit: Visit, dependencies: ChangeDependencies): Promise<Answer> {
  const { store, provider, client, passwords, publicUrl } = dependencies;
  const { fields, browser, address } = visit;
  const session = await sessionOf(provider, browser);
  const email = readEmail(fields);
  const signedIn = await emailOf(session, store);
  const isSignedIn = signedIn !== undefined && signedIn === email;
  const view = { client, email: fields.get('email') ?? '', isSignedIn };
  const errors = errorsOf(visit, email);
  if (email === undefined || Object.keys(errors).length > 0)
    return { status: 422, page: changePasswordPage({ ...view, errors }) };

  const admission = await admitSignIn(store, email, address);
  if (!admission.admitted)
    return tooMany(admission.retryAfterSeconds, (problem) => changePasswordPage({ ...view, problem }));
  const known = await checkPassword({ email, password: fields.get('current') ?? '' }, { store, passwords });
  const passwordVersion =
    known &&
    (await store.changePassword(
      {
        accountId: known.accountId,
        passwordHash: await passwords.hash(fields.get('password') ?? ''),
        version: known.passwordVersion,
      },
      address,
    ));
  if (known === undefined || passwordVersion === undefined)
    return {
      status: 422,
      page: changePasswordPage({ ...view, problem: 'E-mail address or current password is wrong.' }),
    };
  await admission.forgive();
  const proof = { accountId: known.accountId, passwordVersion };
  if (session.accountId === proof.accountId)
    await renewSession(provider, browser, { session, proof, publicUrl }).catch((error: unknown) => {
      // The password is already changed, so the page must report that. The browser will have to sign in again.
      dependencies.log.warn({ err: error }, 'a browser could not stay signed in after its password changed');
    });
  return { page: passwordChangedPage(client) };
}

function errorsOf({ fields }: Visit, email: string | undefined): Record<string, string> {
  const [current, password] = [fields.get('current') ?? '', fields.get('password') ?? ''];
  const wrong =
    passwordError(password, email) ??
    (password === current ? 'Use another than the current password.' : undefined);
  return {
    ...(email === undefined && { email: 'Enter an e-mail address such as ada@example.org.' }),
    ...(current === '' && { current: 'Enter the password that you have now.' }),
    ...(wrong !== undefined && { password: wrong }),
  };
}

/**
 * Returns the address of the account that is signed in at the studio in this browser; `undefined` where there is none.
 */
async function emailOf({ accountId }: Session, store: IdentityStore): Promise<string | undefined> {
  if (accountId === undefined) return undefined;
  return (await store.findPerson(accountId))?.email ?? undefined;
}
