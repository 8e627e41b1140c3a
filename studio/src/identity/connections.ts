import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import { createIdentityStore } from './keep-identity.ts';
import { deleteGrant, grantsOf } from './store.ts';

/** Creates a grant for a client to act for an account, with the operator's consent. Returns the refresh token. */
export async function connect(
  database: Database,
  accountId: string,
  clientId: string,
): Promise<{ refreshToken: string }> {
  // Loaded here: most of the operator's commands do not need this module and would take half as long again with it.
  const { grantConnection } = await import('@renderkit/identity/provider/grant-connection.ts');
  const identity = { store: createIdentityStore(database), secrets: await keepSettings(database) };
  return grantConnection(identity, accountId, clientId);
}

/** Ends all grants of an account, or those of one client. Their tokens stop working at once. */
export async function endConnections(
  database: Database,
  accountId: string,
  clientId: string | undefined,
): Promise<number> {
  const grants = await grantsOf(database, accountId, clientId);
  for (const grantId of grants) await deleteGrant(database, grantId);
  return grants.length;
}
