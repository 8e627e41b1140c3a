import Provider, { type Context, interactionPolicy } from 'oidc-provider';
import type { IdentityStore } from '../identity-store.ts';
import {
  type ProviderError,
  type PageError,
  providerPageError,
  errorPage,
  pageErrors,
} from '../pages/page-error.ts';
import { type ClientFacts, type Page, pageHeaders, writePage } from '../pages/page.ts';
import { createAdapter } from './adapter.ts';
import { cookiesOf } from './cookies.ts';
import { advertised, correctDiscovery } from './discovery.ts';
import { sessionMark } from './sessions.ts';
import { rpInitiatedLogout, skipEmptySignOut } from './sign-out.ts';

/** Path of the OpenID provider; the issuer is the studio's public address plus this path. */
export const issuerPath = '/oidc';

/** Path of the pages where people decide about an authorization request; followed by the interaction's id. */
export const signInPath = '/sign-in';

export const scope = 'openid offline_access email profile';

/**
 * Seconds, at the studio. `service/src/identity/sessions/open-session.ts` decides how long a session of the console
 * lives.
 */
const lifetimeSeconds = {
  AccessToken: 15 * 60,
  AuthorizationCode: 60,
  IdToken: 10 * 60,
  Interaction: 60 * 60,
  Session: 14 * 86_400,
  RefreshToken: 90 * 86_400,
  Grant: 10 * 365 * 86_400,
};

export type Client = ClientFacts & { id: string; secret: string };

export type ProviderSecrets = {
  /** Private signing keys (RFC 7517). */
  jwks: { keys: Record<string, unknown>[] };
  cookieKeys: string[];
};

export type ProviderOptions = {
  store: IdentityStore;
  secrets: ProviderSecrets;
  issuer: string;
  client: Client;
  /** Whether anybody may create an account. Then a client may request the page for this (`prompt=create`). */
  signUp: 'open' | 'closed';
};

/**
 * Creates the OpenID provider: code flow with PKCE, opaque access tokens of 15 minutes, refresh tokens that rotate at
 * every use. A refresh token lives 90 days from its last rotation, so that a connection in use never expires.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { store, secrets, client } = options;
  const issuer = new URL(options.issuer);
  const cookies = cookiesOf(secrets.cookieKeys, issuer);
  const send = (context: Context, page: Page) => {
    context.set(pageHeaders(client));
    context.body = writePage(page, issuer.host);
  };
  const sendError = (context: Context, pageError: PageError) => {
    context.status = pageError.status;
    if (pageError.retryAfterSeconds !== undefined)
      context.set({ 'retry-after': String(pageError.retryAfterSeconds) });
    send(context, errorPage(pageError, client));
  };
  const sessionCookie = { name: cookies.names.session, attributes: cookies.long };
  const provider = new Provider(options.issuer, {
    adapter: (model: string) => createAdapter(store, model),
    clients: [clientMetadata(client)],
    jwks: secrets.jwks,
    cookies,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    scopes: scope.split(' '),
    responseTypes: ['code'],
    clientAuthMethods: [...advertised.clientAuthMethods],
    discovery: advertised.document(options.signUp),
    features: {
      ...features,
      rpInitiatedLogout: rpInitiatedLogout({ store, client, send, sessionCookie }),
    },
    pkce: { required: () => true },
    interactions: {
      policy: policy(options.signUp),
      url: (_context: Context, interaction: { uid: string }) => `${signInPath}/${interaction.uid}`,
    },
    rotateRefreshToken: true,
    ttl: lifetimeSeconds,
    findAccount: (_context: Context, id: string) => findAccount(store, id),
    renderError: (context: Context, answer: ProviderError, error: unknown) =>
      sendError(context, providerPageError(answer, error)),
  });
  provider.use((context, next) => asIfAt(issuer, context, next));
  // For another mode, even the provider's refusal would be a page that submits itself by script.
  provider.use(async (context, next) => {
    const { response_mode: mode = 'query' } = context.query;
    await (mode === 'query' ? next() : sendError(context, pageErrors.otherMode));
  });
  provider.use(async (context, next) => {
    await next();
    if (context.status !== 404 || context.body !== undefined) return;
    if (context.accepts('json', 'html') === 'html') return sendError(context, pageErrors.nothingHere);
    // The status must be set before the body, which would make it 200.
    context.status = 404;
    context.body = { code: 'not_found', message: 'There is nothing at this address.' };
  });
  provider.use(correctDiscovery);
  provider.use(skipEmptySignOut);
  return provider;
}

const features = {
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  resourceIndicators: { enabled: false },
  introspection: {
    enabled: true,
    allowedPolicy: (_context: Context, asking: { clientId: string }, token: { clientId?: string }) =>
      token.clientId === asking.clientId,
  },
  revocation: { enabled: true },
};

function clientMetadata(client: Client) {
  const { redirectUris } = client;
  return {
    client_id: client.id,
    client_secret: client.secret,
    client_name: client.name,
    grant_types: ['authorization_code', 'refresh_token'],
    // Without a redirect address nobody can sign in, but grants that the operator makes still work.
    response_types: redirectUris.length > 0 ? ['code'] : [],
    response_modes: ['query'],
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...client.logoutUris],
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'ES256',
    // The service requires a recent sign-in before prices or secrets change.
    require_auth_time: true,
  };
}

/**
 * Adds checks to the provider's prompts. A session may outlive its account, and a running sign-in may outlive the
 * password. In both cases the person has to sign in again.
 */
function policy(signUp: 'open' | 'closed') {
  const prompts = interactionPolicy.base();
  const { checks } = prompts.get('login');
  const accountGone = ({ oidc }: Context) =>
    oidc.session.accountId !== undefined && oidc.account === undefined;
  checks.add(
    new interactionPolicy.Check('account_gone', 'the account is no more', 'login_required', accountGone),
  );
  const passwordChanged = ({ oidc: { session, account } }: Context) => {
    if (account === undefined || (session.acr ?? sessionMark(0)) === sessionMark(account.passwordVersion))
      return false;
    // The browser is no longer signed in. The next prompts must not be bound to the ended session.
    delete session.accountId;
    return true;
  };
  checks.add(
    new interactionPolicy.Check(
      'password_changed',
      'there is a new password',
      'login_required',
      passwordChanged,
    ),
  );
  // Initiating User Registration via OpenID Connect 1.0. Where nobody may create an account, the provider refuses this
  // prompt as unknown.
  if (signUp === 'open') prompts.add(new interactionPolicy.Prompt({ name: 'create', requestable: true }), 0);
  return prompts;
}

/**
 * Makes all addresses that the provider writes begin with the issuer's host and protocol, whatever the request's own
 * are.
 */
async function asIfAt(issuer: URL, context: Context, next: () => Promise<void>): Promise<void> {
  Object.defineProperties(context.request, {
    protocol: { value: issuer.protocol.slice(0, -1) },
    host: { value: issuer.host },
  });
  await next();
}

async function findAccount(store: IdentityStore, id: string) {
  const account = await store.findPerson(id);
  return (
    account && {
      accountId: account.id,
      passwordVersion: account.password_version,
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
