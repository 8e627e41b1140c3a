import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { IncomingMessage } from 'node:http';

type Answer = { status?: number; json: unknown };

/** What a test changes in the reported identity. */
export type Twist = {
  claims?: Record<string, unknown>;
  /** Signs with another key than the published one. */
  signedBy?: KeyObject;
  /** Not given: the answer contains a refresh token. */
  refreshToken?: false;
  /** The `iss` parameter in the answer that the browser carries. */
  iss?: string;
};

/** An OpenID provider whose answers a test can change. Nobody has to type a password. */
export type ScriptedIssuer = {
  /** Agrees as `sub`. Returns the address to which the provider sends the browser back. */
  agree: (authorizationAddress: string, sub: string, twist?: Twist) => URL;
  /** Like `agree`, when the person declines. */
  decline: (authorizationAddress: string, error?: string) => URL;
  readonly codesExchanged: number;
  /** Answers the issuer's operations; `undefined` for others. */
  answer: (operation: string, request: IncomingMessage, body: string) => Answer | undefined;
};

type Code = {
  challenge: string;
  nonce: string;
  redirectUri: string;
  sub: string;
  twist: Twist;
  used: boolean;
};

type Studio = { url: () => string; newRefreshToken: () => string; newAccessToken: () => string };

type State = {
  studio: Studio;
  issuer: () => string;
  privateKey: KeyObject;
  codes: Map<string, Code>;
  /** The `sub` by access token. */
  subjects: Map<string, string>;
  codesExchanged: number;
};

export function createScriptedIssuer(studio: Studio): ScriptedIssuer {
  const state: State = {
    studio,
    issuer: () => `${studio.url()}/oidc`,
    privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    codes: new Map(),
    subjects: new Map(),
    codesExchanged: 0,
  };
  return {
    get codesExchanged() {
      return state.codesExchanged;
    },
    agree: (address, sub, twist = {}) => {
      const asked = new URL(address).searchParams;
      const code = randomBytes(24).toString('base64url');
      state.codes.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        nonce: asked.get('nonce') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
        sub,
        twist,
        used: false,
      });
      return back(state, address, { code, ...(twist.iss !== undefined && { iss: twist.iss }) });
    },
    decline: (address, error = 'access_denied') => back(state, address, { error }),
    answer: (operation, request, body) => answer(state, operation, request, body),
  };
}

function back(state: State, address: string, more: Record<string, string>): URL {
  const asked = new URL(address).searchParams;
  const target = new URL(asked.get('redirect_uri') ?? '');
  target.search = new URLSearchParams({
    state: asked.get('state') ?? '',
    iss: state.issuer(),
    ...more,
  }).toString();
  return target;
}

function answer(
  state: State,
  operation: string,
  { headers }: IncomingMessage,
  body: string,
): Answer | undefined {
  switch (operation) {
    case 'discovery':
      return { json: document(state.issuer()) };
    case 'jwks': {
      const key = createPublicKey(state.privateKey).export({ format: 'jwk' });
      return { json: { keys: [{ ...key, alg: 'ES256', use: 'sig', kid: '1' }] } };
    }
    case 'userinfo': {
      const sub = state.subjects.get((headers.authorization ?? '').slice('Bearer '.length));
      return sub === undefined
        ? { status: 401, json: { error: 'invalid_token' } }
        : { json: { sub, email: `${sub}@example.org` } };
    }
    case 'token':
      return new URLSearchParams(body).get('grant_type') === 'authorization_code'
        ? exchange(state, body, headers.authorization)
        : undefined;
    default:
      return undefined;
  }
}

function exchange(state: State, body: string, authorization = ''): Answer {
  const form = new URLSearchParams(body);
  const code = state.codes.get(form.get('code') ?? '');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (!authorization.startsWith('Basic ')) return { status: 401, json: { error: 'invalid_client' } };
  const good =
    code !== undefined &&
    !code.used &&
    code.challenge === challenge &&
    form.get('redirect_uri') === code.redirectUri;
  if (!good) return { status: 400, json: { error: 'invalid_grant', error_description: 'no such code' } };
  code.used = true;
  state.codesExchanged++;
  const accessToken = state.studio.newAccessToken();
  state.subjects.set(accessToken, code.sub);
  const seconds = Math.floor(Date.now() / 1000);
  const identity = { iss: state.issuer(), sub: code.sub, aud: 'service', nonce: code.nonce };
  const claims = { ...identity, iat: seconds, exp: seconds + 600, ...code.twist.claims };
  return {
    json: {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'openid offline_access',
      id_token: signed(claims, code.twist.signedBy ?? state.privateKey),
      ...(code.twist.refreshToken !== false && { refresh_token: state.studio.newRefreshToken() }),
    },
  };
}

function document(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/me`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/session/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Returns a JWS of ES256 (RFC 7515). */
function signed(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', kid: '1' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
