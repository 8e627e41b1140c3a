/** Where the console is, and the pages that a browser is sent to and fro between while somebody signs in. */
export const consoleAddresses = {
  /** Of the pages; everything below it that is no file is the application. */
  home: '/console',
  /**
   * Sends the browser to the studio. `?return_to=` a path below `home`, `&login_hint=` the address to sign in with,
   * `&prompt=create` to make an account rather, where the studio lets people.
   */
  signIn: '/console/auth/sign-in',
  /** Answers `SignInChoices` to anybody. */
  signInChoices: '/console/auth/choices',
  /** Where the studio sends it back to: the redirect URI of the service's client, exactly. */
  callback: '/console/auth/callback',
  /** Shown when signing in did not work: `?reason=` (sign-in-failures.ts) and `&return_to=`. */
  signInFailed: '/console/sign-in-failed',
  /** Shown after signing out of the console; the studio may send a browser here too. */
  signedOut: '/console/signed-out',
} as const;

/** What somebody who is not signed in can do. */
export type SignInChoices = { object: 'sign_in_choices'; sign_up: boolean };
