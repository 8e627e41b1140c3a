import { PasswordChecksBusy } from '../accounts/password-checks.ts';
import { ownTrouble, type Trouble, troubles } from '../sign-in/trouble.ts';

/** What to say of anything that was thrown on the way to a page. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof PasswordChecksBusy) return troubles.busy;
  const { name, statusCode } = error as { name?: string; statusCode?: number };
  if (name === 'SessionNotFound') return troubles.gone;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { ...troubles.unreadable, status: statusCode };
  return ownTrouble(error);
}
