import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import { refreshed } from '../credits/refill-account.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../http/register-operations.ts';
import { presentAccount, presentBalance } from './present.ts';
import { readLimits } from './store.ts';

export function accountRoutes(
  database: Database,
  catalog: Catalog,
): Pick<Handlers, 'getAccount' | 'getBalance' | 'getLimits' | 'getStorage'> {
  return {
    getAccount: ({ bearer }) => presentAccount(bearer.account, catalog),
    getBalance: async ({ bearer }) =>
      presentBalance((await refreshed(database, bearer)).account, catalog.current()),
    getStorage: async ({ bearer }) => bearer.account.storage,
    getLimits: async ({ bearer }) => {
      const limits = await readLimits(database, bearer.account.id, bearer.clientId);
      if (limits === undefined) throw new StudioError('not_found', 'There is no such account.');
      return limits;
    },
  };
}
