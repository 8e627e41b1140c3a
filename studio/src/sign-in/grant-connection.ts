import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import { deleteGrant, grantsOf } from './store.ts';

/**
 * The operator's own consent: a grant for a client to act for an account, without a browser. Returns the
 * refresh token, which is stored nowhere in clear.
 */
export async function grantConnection(
  database: Database,
  accountId: string,
  clientId: string,
): Promise<{ refreshToken: string }> {
  // Loaded here: most of the operator's commands do without it, and would take half as long again with it.
  const { createProvider, scope } = await import('./provider.ts');
  // The issuer and the client's secret play no part in what is written here.
  const provider = createProvider({
    database,
    settings: await keepSettings(database),
    issuer: 'http://localhost',
    client: {
      id: clientId,
      secret: 'not used for a grant by the operator',
      name: clientId,
      url: undefined,
      signInUrl: undefined,
      redirectUris: [],
      logoutUris: [],
    },
    signUp: 'closed',
  });
  const client = await provider.Client.find(clientId);
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  const refreshToken = await new provider.RefreshToken({
    accountId,
    client,
    grantId,
    scope,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1000),
  }).save();
  return { refreshToken };
}

/** Ends the grants of an account, all of them or one client's: its tokens stop working at once. */
export async function endConnections(
  database: Database,
  accountId: string,
  clientId: string | undefined,
): Promise<number> {
  const grants = await grantsOf(database.pool, accountId, clientId);
  for (const grantId of grants) await deleteGrant(database, grantId);
  return grants.length;
}
