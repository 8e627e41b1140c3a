import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';

/** Where a browser goes to sign in, and then back to; the service takes no place but a page of the console. */
export function signInAddress(returnTo: string = consoleAddresses.home): string {
  return `${consoleAddresses.signIn}?${new URLSearchParams({ return_to: returnTo })}`;
}
