/** Below the studio's public address. */
export const paths = {
  /** All pages but the front page are below it. */
  account: '/account',
  changePassword: '/account/password',
  /** `?token=` what a reset link holds. */
  resetPassword: '/account/reset-password',
  /** Where programs look for the page to change a password (W3C, A Well-Known URL for Changing Passwords). */
  wellKnown: '/.well-known/change-password',
} as const;
