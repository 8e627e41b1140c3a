import type { IdentityStore } from '../identity-store.ts';
import { createProvider, type ProviderSecrets, scope } from './provider.ts';

/**
 * Creates a grant for a client to act for an account, without a browser. Returns the grant's refresh token, which is
 * stored nowhere unencrypted.
 */
export async function grantConnection(
  { store, secrets }: { store: IdentityStore; secrets: ProviderSecrets },
  accountId: string,
  clientId: string,
): Promise<{ refreshToken: string }> {
  // The issuer and the client's secret do not affect what is stored here.
  const provider = createProvider({
    store,
    secrets,
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
