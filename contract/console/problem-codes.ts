/** Codes that only the console's API answers with, beside those of the HTTP API. Browsers use them too. */
export const consoleProblemCodes = {
  /**
   * The page was made for another account: somebody else has signed in since, in another tab of the browser. Nothing was done;
   * the page has to be loaded anew.
   */
  other_account: { status: 403, title: 'Forbidden' },
  /**
   * What was asked for changes a price or a secret: the person has to sign in again first, at `consoleAddresses.signIn` with
   * `prompt=login`, and can then ask for the same again.
   */
  sign_in_required: { status: 403, title: 'Forbidden' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ConsoleProblemCode = keyof typeof consoleProblemCodes;
