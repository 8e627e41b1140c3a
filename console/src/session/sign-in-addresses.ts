import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { changePasswordPath } from '@renderkit/contract/studio/addresses.ts';

/** Where a browser goes to sign in, and then back to; the service takes no place but a page of the console. */
export function signInAddress(returnTo: string = consoleAddresses.home): string {
  return `${consoleAddresses.signIn}?${new URLSearchParams({ return_to: returnTo }).toString()}`;
}

/** The same, to make an account. */
export function signUpAddress(returnTo: string = consoleAddresses.home): string {
  const query = new URLSearchParams({ return_to: returnTo, prompt: 'create' });
  return `${consoleAddresses.signIn}?${query.toString()}`;
}

/** The studio's page to change a password, for the account that is signed in here. */
export function changePasswordAddress(studioUrl: string, email: string | null): string {
  const query = email === null ? '' : `?${new URLSearchParams({ login_hint: email }).toString()}`;
  return studioUrl + changePasswordPath + query;
}
