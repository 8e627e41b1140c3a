/**
 * `sign_in_required` is the answer where an act changes a price, a plan or a secret, or has commands run on the workers'
 * machines, unless the service says in this header that the person behind the call has proved who they are within
 * `freshSignInSeconds`: with the value `true`.
 */
export const freshSignInHeader = 'x-fresh-sign-in';
export const freshSignInSeconds = 15 * 60;
