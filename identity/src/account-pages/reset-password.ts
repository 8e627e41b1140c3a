import type { IdentityStore } from '../identity-store.ts';
import { Refused, pageErrors } from '../pages/page-error.ts';
import type { ClientFacts } from '../pages/page.ts';
import type { Answer } from '../pages/send-page.ts';
import type { PasswordChecks } from '../passwords/hash-limiter.ts';
import { passwordError } from '../passwords/password-rules.ts';
import { passwordResetPage, resetPasswordPage } from './pages.ts';
import type { Visit } from './visit.ts';

export type ResetDependencies = { store: IdentityStore; client: ClientFacts; passwords: PasswordChecks };

/**
 * Shows the form for a new password. This does not use up the link, because mail programs open links too.
 * `studio/src/accounts/reset-link.ts` decides how long a link is valid.
 * @throws Refused
 */
export async function showResetPassword(
  { query }: Visit,
  { store }: Pick<ResetDependencies, 'store'>,
): Promise<Answer> {
  const token = query.get('token') ?? '';
  const found = await store.findReset(token);
  if (found === undefined) throw new Refused(pageErrors.linkGone);
  return { page: resetPasswordPage({ email: found.email, token }) };
}

/**
 * Sets the password and uses up the link. Signs nobody in, because the person with the link may not be the one who
 * knows the password.
 * @throws Refused, PasswordChecksBusy
 */
export async function resetPasswordByForm(
  { fields, address }: Visit,
  { store, client, passwords }: ResetDependencies,
): Promise<Answer> {
  const [token, password] = [fields.get('token') ?? '', fields.get('password') ?? ''];
  const found = await store.findReset(token);
  if (found === undefined) throw new Refused(pageErrors.linkGone);
  const { email } = found;
  const error = passwordError(password, email);
  if (error !== undefined)
    return { status: 422, page: resetPasswordPage({ email, token, errors: { password: error } }) };
  const passwordHash = await passwords.hash(password);
  const done = await store.resetPassword({ token, passwordHash }, address);
  if (!done) throw new Refused(pageErrors.linkGone);
  return { page: passwordResetPage(client, email) };
}
