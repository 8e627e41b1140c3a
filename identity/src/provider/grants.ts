import type Provider from 'oidc-provider';
import type { IdentityStore } from '../identity-store.ts';
import { scope as everyScope } from './provider.ts';

export type Asked = { accountId: string; clientId: string; scope: string };

/**
 * Stores that a person lets a client act for them, and returns the grant's id. Each sign-in has its own grant. If a
 * code or a token is used twice and its family ends, earlier and later connections stay valid.
 */
export async function makeGrant(provider: Provider, store: IdentityStore, asked: Asked): Promise<string> {
  const { accountId, clientId } = asked;
  await store.deleteSpentGrants(accountId, clientId);
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(knownScopes(asked.scope).join(' '));
  return grant.save();
}

/**
 * Returns a new grant without asking, where the person granted this client the same scopes before and the grant was not
 * ended since. A client must send `prompt=consent` at every sign-in to get a refresh token (OpenID Connect Core 1.0
 * §11). A known answer needs no page. Otherwise `askConsent` in `identity/src/sign-in/handlers.ts` asks.
 */
export async function grantAgain(
  provider: Provider,
  store: IdentityStore,
  asked: Asked,
): Promise<string | undefined> {
  const { accountId, clientId } = asked;
  const granted = await store.hasGranted(accountId, clientId, knownScopes(asked.scope));
  return granted ? makeGrant(provider, store, asked) : undefined;
}

function knownScopes(scope: string): string[] {
  const known = new Set(everyScope.split(' '));
  return scope.split(' ').filter((name) => known.has(name));
}
