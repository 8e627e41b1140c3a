import { changePasswordPath } from '@renderkit/contract/studio/addresses.ts';

/** Below the studio's public address. */
export const paths = {
  /** All pages but the front page are below it. */
  account: '/account',
  changePassword: '/account/password',
  /** `?token=` what a reset link holds. */
  resetPassword: '/account/reset-password',
  wellKnown: changePasswordPath,
} as const;
