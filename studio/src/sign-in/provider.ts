import type { Database } from '@renderkit/server-kit/database.ts';
import Provider from 'oidc-provider';
import type { StudioSettings } from '../settings/keep-settings.ts';
import { createAdapter } from './adapter.ts';
import { readAccountFacts } from './store.ts';

/** Where the OpenID provider is mounted; the issuer is the studio's public address and this. */
export const issuerPath = '/oidc';

export const scope = 'openid offline_access email profile';

const lifetimeSeconds = {
  AccessToken: 15 * 60,
  AuthorizationCode: 60,
  IdToken: 10 * 60,
  Interaction: 60 * 60,
  Session: 14 * 86_400,
  RefreshToken: 90 * 86_400,
  Grant: 10 * 365 * 86_400,
};

export type ProviderOptions = {
  database: Database;
  settings: StudioSettings;
  issuer: string;
  client: { id: string; secret: string; redirectUris?: string[] };
  trustProxy?: boolean;
};

/**
 * The OpenID provider: opaque access tokens of 15 minutes, refresh tokens that rotate at every use. A refresh
 * token lives 90 days from its last rotation, so that a connection in use never ends by itself.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { database, settings } = options;
  const provider = new Provider(options.issuer, {
    adapter: (model: string) => createAdapter(database, model),
    clients: [
      {
        client_id: options.client.id,
        client_secret: options.client.secret,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: options.client.redirectUris ?? [`${options.issuer}/not-yet`],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: settings.jwks,
    cookies: { keys: settings.cookieKeys },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    scopes: ['openid', 'offline_access', 'email', 'profile'],
    features: {
      devInteractions: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: (_context: unknown, asking: { clientId: string }, token: { clientId?: string }) =>
          token.clientId === asking.clientId,
      },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: false },
    },
    rotateRefreshToken: true,
    ttl: lifetimeSeconds,
    findAccount: (_context: unknown, id: string) => findAccount(database, id),
    renderError: (context: { body: unknown; type: string }, out: Record<string, string>) => {
      context.type = 'json';
      context.body = out;
    },
  });
  provider.proxy = options.trustProxy ?? false;
  return provider;
}

async function findAccount(database: Database, id: string) {
  const account = await readAccountFacts(database, id);
  return (
    account && {
      accountId: account.id,
      claims: () => ({
        sub: account.id,
        email: account.email,
        email_verified: account.email_verified,
        name: account.name,
        preferred_username: account.username,
      }),
    }
  );
}
