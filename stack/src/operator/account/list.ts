import * as studio from '@renderkit/studio/operator.ts';
import { command } from '../command.ts';
import { presentAccount } from './present-account.ts';

export const listAccounts = command({
  words: 'account list',
  about: 'Lists the studio accounts.',
  options: {},
  run: async ({ open }) => {
    const accounts = (await studio.listAccounts((await open()).studio)).map(presentAccount);
    return {
      data: accounts,
      lines: accounts.map(
        ({ id, email: address, tier, credits }) =>
          `${id}  ${address ?? '(deleted)'}  ${tier}  ${credits} credits`,
      ),
    };
  },
});
