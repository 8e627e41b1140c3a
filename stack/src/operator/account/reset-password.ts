import * as studio from '@renderkit/studio/operator.ts';
import { command } from '../command.ts';
import { email, required } from '../option.ts';

/** How long a link is valid is decided in `studio/src/accounts/reset-link.ts`. */
export const resetPassword = command({
  words: 'account reset-password',
  about:
    'Makes a link by which the person sets a new password: good once, for an hour. Older links of the account end.',
  options: { email: required(email) },
  run: async ({ open }, values) => {
    const databases = await open();
    const studioUrl = databases.environments.studio['STUDIO_PUBLIC_URL'] ?? '';
    const reset = await studio.createResetLink(databases.studio, values.email, studioUrl);
    return {
      data: reset,
      lines: [
        `link     ${reset.link}`,
        `expires  ${reset.expires_at}`,
        '',
        'Whoever has the link can set the password: give it to the person alone.',
      ],
    };
  },
});
