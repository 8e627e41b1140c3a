import { leaveFreely } from '../ui/leaving.ts';
import { showNotice } from '../ui/toasts.ts';

// Somebody else has signed in, in another tab of this browser: what this page shows is not theirs, and what it asks for is refused.

/** Of this tab: the page that follows says why. */
const reasonKey = 'renderkit-other-account';

let leaving = false;

/** Loads the page anew, as the account that is signed in now. What it was about, its search included, was of the one before. */
export function reloadAsOther(): void {
  // Several requests of a page find it at once.
  if (leaving) return;
  leaving = true;
  leaveFreely();
  try {
    sessionStorage.setItem(reasonKey, 'yes');
  } catch {
    // A browser may forbid it. Then the page does not say why.
  }
  globalThis.location.replace(globalThis.location.pathname);
}

/** Says why the page was loaded anew, where that was so. */
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
