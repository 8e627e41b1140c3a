import * as studio from '@renderkit/studio/operator.ts';
import { command } from '../command.ts';
import { email, required } from '../option.ts';

export const auditAccount = command({
  words: 'account audit',
  about:
    'Lists what was done to the password of an account, by whom and from where; newest first, 200 at most.',
  options: { email: required(email) },
  run: async ({ open }, values) => {
    const entries = await studio.showAudit((await open()).studio, values.email);
    return {
      data: entries,
      lines: entries.map(({ at, action, actor, address }) => `${at}  ${action}  ${actor}  ${address ?? '-'}`),
    };
  },
});
