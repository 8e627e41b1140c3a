import type { Database } from '@renderkit/server-kit/database.ts';
import { availableCredits } from '../credits/available-credits.ts';
import type { Handlers } from '../handler.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { translated } from '../studio-client/translate-error.ts';
import { presentAccount, presentBalance, presentLimits } from './present.ts';
import { readQueued } from './store.ts';

/** The studio account behind the key (specification §4). */
export function accountRoutes(deps: {
  studioClient: StudioClient;
  database: Database;
}): Pick<Handlers, 'getAccount' | 'getBalance' | 'getLimits'> {
  const { studioClient, database } = deps;
  const readBalance = async (accountId: string) => {
    const balance = await translated(studioClient.call('getBalance', { accountId }));
    return presentBalance(balance, await availableCredits(database, accountId, balance));
  };
  return {
    getAccount: async ({ principal }) => {
      const accountId = principal.account.id;
      const [account, balance] = await Promise.all([
        translated(studioClient.call('getAccount', { accountId })),
        readBalance(accountId),
      ]);
      return presentAccount(account, balance);
    },
    getBalance: async ({ principal }) => readBalance(principal.account.id),
    getLimits: async ({ principal }) => {
      const accountId = principal.account.id;
      const [limits, queued] = await Promise.all([
        translated(studioClient.call('getLimits', { accountId })),
        readQueued(database, accountId),
      ]);
      return presentLimits(limits, queued);
    },
  };
}
