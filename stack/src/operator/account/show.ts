import * as studio from '@renderkit/studio/operator.ts';
import { command } from '../command.ts';
import { email, required } from '../option.ts';
import { accountAnswer } from './present-account.ts';

export const showAccount = command({
  words: 'account show',
  about: 'Shows one account, with what it stores.',
  options: { email: required(email) },
  run: async ({ open }, values) =>
    accountAnswer(await studio.showAccount((await open()).studio, values.email)),
});
