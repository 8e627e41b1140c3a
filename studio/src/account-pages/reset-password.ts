import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { PasswordChecks } from '../accounts/password-checks.ts';
import { findResetToken, resetPassword } from '../accounts/reset-link.ts';
import { passwordError } from '../interactions/read-fields.ts';
import type { ClientFacts } from '../sign-in/page.ts';
import type { Answer } from '../sign-in/send-page.ts';
import { Refused, troubles } from '../sign-in/trouble.ts';
import { passwordResetPage, resetPasswordPage } from './pages.ts';
import type { Visit } from './visit.ts';

export type ResetDependencies = { database: Database; client: ClientFacts; passwords: PasswordChecks };

/** Asks for a new password; looking uses nothing up, for mail programs look too. @throws Refused */
export async function showResetPassword(
  { query }: Visit,
  { database }: Pick<ResetDependencies, 'database'>,
): Promise<Answer> {
  const token = query.get('token') ?? '';
  const found = await findResetToken(database, token);
  if (found === undefined) throw new Refused(troubles.linkGone);
  return { page: resetPasswordPage({ email: found.email, token }) };
}

/**
 * Sets the password and uses the link up. It signs nobody in: whoever has the link need not be who knows the password.
 * @throws Refused, PasswordChecksBusy
 */
export async function resetPasswordByForm(
  { fields, address }: Visit,
  { database, client, passwords }: ResetDependencies,
): Promise<Answer> {
  const [token, password] = [fields.get('token') ?? '', fields.get('password') ?? ''];
  const found = await findResetToken(database, token);
  if (found === undefined) throw new Refused(troubles.linkGone);
  const { email } = found;
  const error = passwordError(password, email);
  if (error !== undefined)
    return { status: 422, page: resetPasswordPage({ email, token, errors: { password: error } }) };
  const passwordHash = await passwords.hash(password);
  const done = await resetPassword(database, { token, passwordHash }, { kind: 'link', address });
  if (!done) throw new Refused(troubles.linkGone);
  return { page: passwordResetPage(client, email) };
}
