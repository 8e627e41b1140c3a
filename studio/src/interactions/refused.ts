import { isDatabaseUnavailable } from '@renderkit/server-kit/database.ts';
import { PasswordChecksBusy } from '../accounts/password-checks.ts';
import { type Trouble, troubles } from '../sign-in/trouble.ts';

/** A page that cannot be shown, for a reason to tell. */
export class Refused extends Error {
  override name = 'Refused';
  readonly trouble: Trouble;
  constructor(trouble: Trouble, options?: ErrorOptions) {
    super(trouble.title, options);
    this.trouble = trouble;
  }
}

/** What to say of anything that was thrown on the way to a page. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof Refused) return error.trouble;
  if (error instanceof PasswordChecksBusy) return troubles.busy;
  if (isDatabaseUnavailable(error)) return troubles.away;
  const { name, statusCode } = error as { name?: string; statusCode?: number };
  if (name === 'SessionNotFound') return troubles.gone;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { ...troubles.unreadable, status: statusCode };
  return troubles.failed;
}
