/**
 * With the value `true` in this header, the service confirms that the person behind the call authenticated within
 * `freshSignInSeconds`. Without it the studio answers `sign_in_required` to an action that changes a price, a plan or a
 * secret, or that runs commands on the machines of the workers (`studio/src/administration/asker.ts`).
 */
export const freshSignInHeader = 'x-fresh-sign-in';
export const freshSignInSeconds = 15 * 60;
