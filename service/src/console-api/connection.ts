import type { AccountReader } from '../account/read-account.ts';
import { askStudio } from './ask-studio.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/** How the connection to the studio stands, found out by asking the studio for the account. */
export function connectionHandlers(deps: {
  account: AccountReader;
  studioPublicUrl: string;
}): Pick<ConsoleHandlers, 'getConnection'> {
  return {
    getConnection: async ({ principal }) => {
      const { id, studioId, studioAccountId } = principal.account;
      const { answer, failure } = await askStudio(deps.account.profile(id));
      return {
        object: 'connection',
        state: failure ?? 'live',
        studio: { id: studioId, url: deps.studioPublicUrl, account_id: studioAccountId },
        account: answer,
      };
    },
  };
}
