/** The addresses of the console, and of the pages that a browser visits while somebody signs in. */
export const consoleAddresses = {
  /** The console itself. Every path below it that is no file is a page of the console. */
  home: '/console',
  /**
   * Redirects the browser to the studio. `?return_to=` is a path below `home`, `&login_hint=` the e-mail address to sign
   * in with; `&prompt=create` creates an account, where the studio allows that; with `&prompt=login` the person has to prove
   * anew who they are.
   */
  signIn: '/console/auth/sign-in',
  /** Answers with `SignInChoices`, without a session. */
  signInChoices: '/console/auth/choices',
  /** The redirect URI of the service's client at the studio, exactly. */
  callback: '/console/auth/callback',
  /** Saves items of the library as a file: `?ids=` with commas between them. */
  download: '/console/api/library/download',
  /** Shown when signing in failed: `?reason=` (sign-in-failures.ts) and `&return_to=`. */
  signInFailed: '/console/sign-in-failed',
  /** Shown at the end of a sign-in that another tab asked for, which goes on by itself. */
  signedInAgain: '/console/signed-in-again',
  /** Shown after signing out of the console; the studio may redirect here too. */
  signedOut: '/console/signed-out',
} as const;

/** What somebody who is not signed in can do. */
export type SignInChoices = { object: 'sign_in_choices'; sign_up: boolean };
