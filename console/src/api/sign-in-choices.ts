import { consoleAddresses, type SignInChoices } from '@renderkit/contract/console/addresses.ts';
import { ownPath } from '../format/own-path.ts';

/**
 * Returns whether the studio lets people create accounts. `false` when that cannot be read. The request is not in the
 * tables of operations: it needs no session, and the sign-in page loads nothing else of the API. `STUDIO_SIGN_UP` in
 * `studio/src/config.ts` decides whether people may sign up.
 */
export async function isSignUpOffered(signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(ownPath(consoleAddresses.signInChoices), { signal });
    return answer.ok && ((await answer.json()) as SignInChoices).sign_up;
  } catch {
    return false;
  }
}
