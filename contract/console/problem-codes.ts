/** Problem codes that only the console's API uses, in addition to those of the HTTP API. Browsers use them too. */
export const consoleProblemCodes = {
  /**
   * The page shows another account, because somebody else has signed in since, in another tab of the browser. Nothing
   * was done; the page must be reloaded. `service/src/console-api/routes.ts` refuses.
   */
  other_account: { status: 403, title: 'Forbidden' },
  /**
   * The request changes a price or a secret. The person must first sign in again, at `consoleAddresses.signIn` with
   * `prompt=login`, and can then repeat the request. `studio/src/administration/asker.ts` refuses.
   */
  sign_in_required: { status: 403, title: 'Forbidden' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ConsoleProblemCode = keyof typeof consoleProblemCodes;
