import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { changePasswordPath } from '@renderkit/contract/studio/addresses.ts';
import { ownPath } from '../format/own-path.ts';

/**
 * Returns the address that signs in and then returns to a page of the console. The service returns only to such pages.
 * `service/src/identity/sign-in/return-to.ts` decides which pages these are.
 */
export function signInAddress(returnTo: string = consoleAddresses.home): string {
  return `${ownPath(consoleAddresses.signIn)}?${new URLSearchParams({ return_to: returnTo }).toString()}`;
}

/** Like `signInAddress`, for a person who first creates an account. */
export function signUpAddress(returnTo: string = consoleAddresses.home): string {
  const query = new URLSearchParams({ return_to: returnTo, prompt: 'create' });
  return `${ownPath(consoleAddresses.signIn)}?${query.toString()}`;
}

/** Returns the address of the studio's page to change the password of the signed-in account. */
export function changePasswordAddress(studioUrl: string, email: string | null): string {
  const query = email === null ? '' : `?${new URLSearchParams({ login_hint: email }).toString()}`;
  return studioUrl + changePasswordPath + query;
}
