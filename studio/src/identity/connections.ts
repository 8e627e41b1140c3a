import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import { createIdentityStore } from './keep-identity.ts';
import { deleteGrant, grantsOf } from './store.ts';

/** The operator's own consent: a grant for a client to act for an account. Returns the refresh token. */
export async function connect(
  database: Database,
  accountId: string,
  clientId: string,
): Promise<{ refreshToken: string }> {
  // Loaded here: most of the operator's commands do without it, and would take half as long again with it.
  const { grantConnection } = await import('@renderkit/identity/provider/grant-connection.ts');
  const identity = { store: createIdentityStore(database), secrets: await keepSettings(database) };
  return grantConnection(identity, accountId, clientId);
}

/** Ends the grants of an account, all of them or one client's: its tokens stop working at once. */
export async function endConnections(
  database: Database,
  accountId: string,
  clientId: string | undefined,
): Promise<number> {
  const grants = await grantsOf(database, accountId, clientId);
  for (const grantId of grants) await deleteGrant(database, grantId);
  return grants.length;
}
