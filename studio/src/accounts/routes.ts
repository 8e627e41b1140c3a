import type { Database } from '@renderkit/server-kit/db/database.ts';
import { refreshed } from '../credits/refill-account.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../register-operations.ts';
import { presentAccount, presentBalance } from './present.ts';
import { readLimits } from './store.ts';

export function accountRoutes(
  database: Database,
): Pick<Handlers, 'getAccount' | 'getBalance' | 'getLimits' | 'getStorage'> {
  return {
    getAccount: async ({ bearer }) => presentAccount(bearer.account),
    getBalance: async ({ bearer }) => presentBalance((await refreshed(database, bearer)).account),
    getStorage: async ({ bearer }) => bearer.account.storage,
    getLimits: async ({ bearer }) => {
      const limits = await readLimits(database, bearer.account.id, bearer.clientId);
      if (limits === undefined) throw new StudioError('not_found', 'There is no such account.');
      return limits;
    },
  };
}
