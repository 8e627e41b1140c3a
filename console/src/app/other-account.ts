import { leaveFreely } from '../ui/leaving.ts';
import { showNotice } from '../ui/toasts.ts';

// Another person has signed in, in another tab of this browser. This page shows data of the earlier account, and its
// requests are refused.

/** Storage key of this tab. The next page reads it to explain the reload. */
const reasonKey = 'renderkit-other-account';

let leaving = false;

/**
 * Reloads the page as the account that is signed in now. Drops the search of the address, because it concerned the
 * earlier account. `console/src/api/query-client.ts` detects the other account.
 */
export function reloadAsOther(): void {
  // Several requests of a page may detect the change at once.
  if (leaving) return;
  leaving = true;
  leaveFreely();
  try {
    sessionStorage.setItem(reasonKey, 'yes');
  } catch {
    // A browser may forbid storage. The next page then does not explain the reload.
  }
  globalThis.location.replace(globalThis.location.pathname);
}

/** Shows why the page was reloaded, if it was. */
export function sayWhoIsSignedIn(email: string | null): void {
  try {
    if (sessionStorage.getItem(reasonKey) === null) return;
    sessionStorage.removeItem(reasonKey);
  } catch {
    return;
  }
  showNotice(
    `Signed in as ${email ?? 'another account'}`,
    'Somebody signed in with it in another tab. What you did last in this one was not carried out, and cost nothing.',
  );
}
