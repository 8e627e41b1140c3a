import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Handlers } from '../http/handler.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { createAccountReader } from './read-account.ts';
import { showKey } from './show-key.ts';

/** The studio account that the key belongs to (docs/api.md §4). */
export function accountRoutes(deps: {
  studioClient: StudioClient;
  database: Database;
}): Pick<Handlers, 'getAccount' | 'getBalance' | 'getLimits' | 'getStorage' | 'getKey'> {
  const account = createAccountReader(deps);
  return {
    getAccount: ({ principal }) => account.profile(principal.account.id),
    getBalance: ({ principal }) => account.balance(principal.account.id),
    getStorage: ({ principal }) => account.storage(principal.account.id),
    getKey: ({ principal }) => showKey(deps.database, principal.key.id),
    getLimits: ({ principal }) => account.limits(principal.account.id),
  };
}
