/**
 * Reasons why signing in can fail, with a text for people. The key is the `?reason=` of the page that the browser is
 * redirected to. `failureOf` in `service/src/identity/sign-in/failure.ts` chooses one.
 */
export const signInFailures = {
  attempt_unknown: {
    title: 'This sign-in is no longer open',
    detail:
      'It was begun more than ten minutes ago, in another browser, or was finished already. Begin anew.',
  },
  denied: {
    title: 'The studio was told no',
    detail:
      'You did not let the service act for your studio account. Without that it can render nothing for you.',
  },
  studio_unavailable: {
    title: 'The studio does not answer',
    detail: 'Signing in needs the studio, and it is out of reach just now. Try again in a moment.',
  },
  studio_refused: {
    title: 'The studio did not confirm who you are',
    detail: 'Its answer was not the one that this sign-in waited for. Begin anew.',
  },
  service_failed: {
    title: 'Something failed in the service',
    detail: 'Try again in a moment. If it fails again, tell whoever runs the service.',
  },
} as const;
export type SignInFailure = keyof typeof signInFailures;

/** Returns the failure for `?reason=`; `undefined` when there is no such failure. */
export function signInFailureOf(reason: string | undefined): SignInFailure | undefined {
  return reason !== undefined && Object.hasOwn(signInFailures, reason)
    ? (reason as SignInFailure)
    : undefined;
}
