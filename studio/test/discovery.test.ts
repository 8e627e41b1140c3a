import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Browser, createBrowser } from './browser.ts';
import {
  authorizationRequest,
  claimsOf,
  clientWithAddresses,
  exchangeCode,
  newPerson,
  type Person,
  signInByBrowser,
} from './code-flow.ts';
import { basic, client, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
let document: Document;
let person: Person;
let browser: Browser;
before(async () => {
  studio = await startTestStudio({
    worker: false,
    config: { client: clientWithAddresses, signUp: 'open' },
  });
  document = await discover(studio);
  person = await newPerson(studio, { name: 'Ada' });
  ({ browser } = await signInByBrowser(studio, person));
});
after(async () => studio[Symbol.asyncDispose]());

type Document = Record<string, string | string[] | boolean | undefined>;

async function discover({ url }: Pick<TestStudio, 'url'>): Promise<Document> {
  const response = await fetch(`${url}/oidc/.well-known/openid-configuration`);
  return (await response.json()) as Document;
}

/** All values in use somewhere (OAuth and OpenID registries), which could be advertised or tried. */
const known = {
  response_types_supported: [
    'code',
    'token',
    'id_token',
    'none',
    'code id_token',
    'code token',
    'id_token token',
    'code id_token token',
  ],
  response_modes_supported: ['query', 'fragment', 'form_post', 'web_message', 'jwt', 'query.jwt'],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
  code_challenge_methods_supported: ['S256', 'plain'],
  grant_types_supported: [
    'authorization_code',
    'refresh_token',
    'implicit',
    'password',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:openid:params:grant-type:ciba',
  ],
  auth_methods: ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'],
} as const;

const listed = (name: string) => document[name] as string[];

/**
 * Checks that each known value is accepted if it is advertised and refused if not, and that no other value is
 * advertised.
 */
async function walk(
  advertised: string[],
  values: readonly string[],
  isAccepted: (value: string) => Promise<boolean>,
): Promise<void> {
  for (const value of advertised) assert.ok(values.includes(value), `${value} is advertised and not tried`);
  for (const value of values) assert.equal(await isAccepted(value), advertised.includes(value), value);
}

/**
 * Returns whether an authorization request is accepted: it shows a page that asks the person something, or redirects
 * with a code.
 */
async function leadsOn(more: Record<string, string | undefined>): Promise<boolean> {
  const { status, left, address } = await browser.open(authorizationRequest(studio, more).address);
  if (left === undefined) return status === 200 && address.pathname.startsWith('/sign-in/');
  const answer = new URLSearchParams(left.search === '' ? left.hash.slice(1) : left.search);
  return answer.has('code');
}

test('response types that are advertised lead on, and no others do', () =>
  walk(listed('response_types_supported'), known.response_types_supported, (value) =>
    leadsOn({ response_type: value }),
  ));

test('response modes that are advertised lead on, and no others do', () =>
  walk(listed('response_modes_supported'), known.response_modes_supported, (value) =>
    leadsOn({ response_mode: value }),
  ));

test('prompts that are advertised lead on, and no others do', () =>
  walk(listed('prompt_values_supported'), known.prompt_values_supported, (value) =>
    leadsOn({ prompt: value }),
  ));

test('challenges that are advertised lead on, and no others do', () =>
  walk(listed('code_challenge_methods_supported'), known.code_challenge_methods_supported, (value) =>
    leadsOn({ code_challenge_method: value }),
  ));

test('where nobody may make an account, the page to do so is neither advertised nor served', async () => {
  await using closed = await startTestStudio({ worker: false, config: { client: clientWithAddresses } });
  assert.deepEqual((await discover(closed))['prompt_values_supported'], ['none', 'login', 'consent']);
  const { left } = await createBrowser(closed.url).open(
    authorizationRequest(closed, { prompt: 'create' }).address,
  );
  assert.equal(left?.searchParams.get('error'), 'invalid_request');
});

test('grants that are advertised are served, and no others are', () =>
  walk(listed('grant_types_supported'), known.grant_types_supported, async (grant_type) => {
    const response = await fetch(document['token_endpoint'] as string, {
      method: 'POST',
      headers: { authorization: basic() },
      body: new URLSearchParams({
        grant_type,
        code: 'x',
        refresh_token: 'x',
        redirect_uri: clientWithAddresses.redirectUris[0] ?? '',
        code_verifier: 'v'.repeat(43),
        username: person.email,
        password: 'x',
      }),
    });
    const { error } = (await response.json()) as { error: string };
    assert.ok(['invalid_grant', 'unsupported_grant_type'].includes(error), error);
    return error === 'invalid_grant';
  }));

for (const endpoint of ['token', 'introspection', 'revocation'])
  test(`ways to prove who the client is at the ${endpoint} endpoint are those that are advertised`, () =>
    walk(listed(`${endpoint}_endpoint_auth_methods_supported`), known.auth_methods, async (method) => {
      const proofs: Record<string, Record<string, string>> = {
        client_secret_post: { client_id: client.id, client_secret: client.secret },
        client_secret_jwt: assertionFor(client.id),
        private_key_jwt: assertionFor(client.id),
        none: { client_id: client.id },
      };
      const response = await fetch(document[`${endpoint}_endpoint`] as string, {
        method: 'POST',
        headers: method === 'client_secret_basic' ? { authorization: basic() } : {},
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: 'x',
          token: 'x',
          ...proofs[method],
        }),
      });
      const { error } = (await response.json().catch(() => ({}))) as { error?: string };
      return error !== 'invalid_client' && error !== 'invalid_request';
    }));

function assertionFor(clientId: string): Record<string, string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: clientId, sub: clientId, jti: '1', exp: 4_000_000_000 };
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: `${part({ alg: 'HS256' })}.${part(claims)}.${'x'.repeat(43)}`,
  };
}

test('every claim that is advertised is told, and every claim that is told is advertised', async () => {
  const request = authorizationRequest(studio, { max_age: '1000' });
  const { left } = await browser.open(request.address);
  const { body } = await exchangeCode(studio, left, request);
  const response = await fetch(document['userinfo_endpoint'] as string, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  const received = { ...((await response.json()) as object), ...claimsOf(body.id_token) };
  // Claims of every ID token and of this exchange (OpenID Connect Core 1.0 §2).
  const ofTheToken = new Set(['aud', 'exp', 'iat', 'nonce', 'at_hash']);
  assert.deepEqual(
    Object.keys(received)
      .filter((claim) => !ofTheToken.has(claim))
      .sort(),
    listed('claims_supported').toSorted(),
  );
  assert.equal(document['claims_parameter_supported'], false);
});

test('every scope that is advertised is given', async () => {
  const request = authorizationRequest(studio, { scope: listed('scopes_supported').join(' ') });
  const { left } = await browser.open(request.address);
  const { body } = await exchangeCode(studio, left, request);
  assert.deepEqual(body.scope?.split(' ').sort(), listed('scopes_supported').toSorted());
});

test('ID tokens are signed by the one way that is advertised', async () => {
  const { body } = await signInByBrowser(studio, await newPerson(studio));
  const [head = ''] = body.id_token?.split('.') ?? [];
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string };
  assert.deepEqual(listed('id_token_signing_alg_values_supported'), [alg]);
});

test('requests as objects or by address are refused, as the document says', async () => {
  assert.notEqual(document['request_parameter_supported'], true);
  assert.equal(document['request_uri_parameter_supported'], false);
  assert.equal(await leadsOn({ request: 'x.y.z' }), false);
  assert.equal(await leadsOn({ request_uri: 'https://client.example/request' }), false);
});

test('every endpoint that is advertised is served, and those of other flows are not', async () => {
  for (const [name, address] of Object.entries(document))
    if (/_(?:endpoint|uri)$/.test(name)) {
      const statuses = await Promise.all(
        ['GET', 'POST'].map(async (method) => (await fetch(address as string, { method })).status),
      );
      assert.ok(!statuses.every((status) => status === 404), `${name}: ${statuses.join()}`);
    }
  for (const path of ['reg', 'request', 'device', 'device/auth', 'backchannel', 'challenge'])
    for (const method of ['GET', 'POST'])
      assert.equal((await fetch(`${studio.url}/oidc/${path}`, { method })).status, 404, path);
});
