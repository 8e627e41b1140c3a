/** The addresses of the console, and of the pages that a browser opens during sign-in. */
export const consoleAddresses = {
  /** The console itself. Every path below it that is not a file is a page of the console. */
  home: '/console',
  /**
   * Redirects the browser to the studio. `?return_to=` is a path below `home`. `&login_hint=` is the e-mail address for
   * the sign-in. `&prompt=create` creates an account if the studio allows it. With `&prompt=login` the person must
   * authenticate again.
   */
  signIn: '/console/auth/sign-in',
  /** Returns `SignInChoices`, without a session. */
  signInChoices: '/console/auth/choices',
  /** The exact redirect URI of the service's client at the studio. */
  callback: '/console/auth/callback',
  /** Downloads items of the library as a file: `?ids=`, separated by commas. */
  download: '/console/api/library/download',
  /** Shown when signing in failed: `?reason=` (sign-in-failures.ts) and `&return_to=`. */
  signInFailed: '/console/sign-in-failed',
  /** Shown at the end of a sign-in that another tab requested; the other tab continues by itself. */
  signedInAgain: '/console/signed-in-again',
  /** Shown after signing out of the console; the studio may redirect here too. */
  signedOut: '/console/signed-out',
} as const;

/** The options of a person who is not signed in. */
export type SignInChoices = { object: 'sign_in_choices'; sign_up: boolean };
