import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';

/** A place of the console to go back to after signing in; anything else becomes the first page. */
export function returnTo(value: string | undefined): string {
  const { home } = consoleAddresses;
  if (value === undefined || !/^\/console(?:[/?]|$)/.test(value)) return home;
  return /[\\\s\p{Cc}]|\/\/|\/\.{1,2}(?:[/?]|$)|^\/console\/(?:auth|api|sign|signed)/u.test(value)
    ? home
    : value;
}

/** Where a browser goes to sign in. */
export function signInAddress(value: string | undefined): string {
  return `${consoleAddresses.signIn}?${new URLSearchParams({ return_to: returnTo(value) })}`;
}
