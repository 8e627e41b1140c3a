import { changePasswordPath } from '@renderkit/contract/studio/addresses.ts';

/** Relative to the studio's public address. */
export const paths = {
  /** The prefix of all pages except the front page. */
  account: '/account',
  changePassword: '/account/password',
  /** `?token=`: the token of a reset link. */
  resetPassword: '/account/reset-password',
  wellKnown: changePasswordPath,
} as const;
