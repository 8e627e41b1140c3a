import { PasswordChecksBusy } from '../passwords/password-checks.ts';
import { ownTrouble, type Trouble, troubles } from './page-error.ts';

/** What to say of anything that was thrown on the way to a page. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof PasswordChecksBusy) return troubles.busy;
  return (error as Error).name === 'SessionNotFound' ? troubles.gone : ownTrouble(error);
}
