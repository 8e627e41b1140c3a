/**
 * The path, below the studio's public address, that leads to the page for changing a password, if the studio has
 * passwords (W3C, A Well-Known URL for Changing Passwords). `?login_hint=` is the e-mail address of the account.
 */
export const changePasswordPath = '/.well-known/change-password';
