import type Provider from 'oidc-provider';
import type { IdentityStore } from '../identity-store.ts';
import { scope as everyScope } from './provider.ts';

export type Asked = { accountId: string; clientId: string; scope: string };

/**
 * Writes down that a person lets a client act for them, and returns the grant's id. Each sign-in has a grant of its
 * own: when a code or a token is used twice and its family ends, what was connected before or after goes on.
 */
export async function makeGrant(provider: Provider, store: IdentityStore, asked: Asked): Promise<string> {
  const { accountId, clientId } = asked;
  await store.deleteSpentGrants(accountId, clientId);
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(knownScopes(asked.scope).join(' '));
  return grant.save();
}

/**
 * A new grant without asking, where the person granted this client as much before and it was not ended since.
 * A client has to say `prompt=consent` to be given a refresh token (OpenID Connect Core 1.0 §11), at every sign-in
 * again; the answer that is at hand already needs no page.
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
