import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { changePasswordPath } from '@renderkit/contract/studio/addresses.ts';
import { ownPath } from '../format/own-path.ts';

/** The address that signs in and then returns to a page of the console; the service returns to nothing else. */
export function signInAddress(returnTo: string = consoleAddresses.home): string {
  return `${ownPath(consoleAddresses.signIn)}?${new URLSearchParams({ return_to: returnTo }).toString()}`;
}

/** The same, for somebody who first creates an account. */
export function signUpAddress(returnTo: string = consoleAddresses.home): string {
  const query = new URLSearchParams({ return_to: returnTo, prompt: 'create' });
  return `${ownPath(consoleAddresses.signIn)}?${query.toString()}`;
}

/** The studio's page on which the signed-in account changes its password. */
export function changePasswordAddress(studioUrl: string, email: string | null): string {
  const query = email === null ? '' : `?${new URLSearchParams({ login_hint: email }).toString()}`;
  return studioUrl + changePasswordPath + query;
}
