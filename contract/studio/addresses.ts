/**
 * Where a studio whose people have passwords leads to the page to change them, below its public address (W3C, A Well-Known
 * URL for Changing Passwords). `?login_hint=` the e-mail address of the account.
 */
export const changePasswordPath = '/.well-known/change-password';
