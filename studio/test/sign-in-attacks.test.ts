import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { type Browser, createBrowser } from './browser.ts';
import {
  authorizationRequest,
  clientWithAddresses,
  exchangeCode,
  newPerson,
  password,
  signInByBrowser,
} from './code-flow.ts';
import { refresh, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(
  async () =>
    (studio = await startTestStudio({
      worker: false,
      config: { client: { ...clientWithAddresses, name: 'A <b>client</b>' }, signUp: 'open' },
    })),
);
after(async () => studio[Symbol.asyncDispose]());

const [callback = ''] = clientWithAddresses.redirectUris;
const statusOf = async (accessToken: string | undefined) =>
  (await fetch(`${studio.url}/api/account`, { headers: { authorization: `Bearer ${accessToken}` } })).status;

/** Returns the redirect of a browser with a code that nobody has exchanged yet. */
async function withCode(browser: Browser = createBrowser(studio.url)) {
  const { email } = await newPerson(studio);
  const request = authorizationRequest(studio);
  await browser.open(request.address);
  await browser.press('Sign in', { email, password });
  const { left } = await browser.press('Allow');
  return { request, left };
}

test('a code that is used twice ends what was given for it', async () => {
  const { request, left } = await withCode();
  const { body } = await exchangeCode(studio, left, request);
  assert.equal(await statusOf(body.access_token), 200);
  const again = await exchangeCode(studio, left, request);
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
  assert.equal(await statusOf(body.access_token), 401);
  await assert.rejects(refresh(studio.url, body.refresh_token ?? ''), /400 invalid_grant/);
});

test('of many parallel uses of one code one succeeds at most', async () => {
  const { request, left } = await withCode();
  const tries = await Promise.all(Array.from({ length: 8 }, () => exchangeCode(studio, left, request)));
  assert.ok(tries.filter(({ status }) => status === 200).length <= 1);
});

test('a code lives a minute, and opens nothing without its verifier and its way back', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const { request, left } = await withCode();
  for (const more of [
    { code_verifier: 'v'.repeat(43) },
    { code_verifier: '' },
    { redirect_uri: `${callback}/` },
    { redirect_uri: 'https://evil.example/' },
  ] as Record<string, string>[])
    assert.equal((await exchangeCode(studio, left, request, more)).status, 400, JSON.stringify(more));
  await moveClock(studio.database, 61);
  assert.equal((await exchangeCode(studio, left, request)).body.error, 'invalid_grant');
});

test('nobody is sent to an address that is not the registered one, letter by letter', async () => {
  for (const uri of [
    'https://evil.example/',
    'javascript:alert(1)',
    `${callback}/`,
    `${callback}?next=https://evil.example`,
    `${callback}#x`,
    `${callback}/../../x`,
    callback.replace('127.0.0.1', 'localhost'),
    callback.replace(':9/', ':10/'),
    callback.replace('http:', 'https:'),
    callback.replace('//', '//evil@'),
    callback.toUpperCase(),
    `${callback}%2f`,
    ` ${callback}`,
  ]) {
    const page = await createBrowser(studio.url).open(
      authorizationRequest(studio, { redirect_uri: uri }).address,
    );
    assert.deepEqual([page.status, page.left], [400, undefined], uri);
    assert.match(page.text, /<h1>This way back is not known<\/h1>/);
  }
});

test('a request without PKCE, or with a challenge that is the verifier, goes no further', async () => {
  for (const more of [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge_method: undefined },
    { response_type: 'token', nonce: undefined },
    { response_type: 'id_token' },
    { response_mode: 'form_post' },
    { response_mode: 'fragment' },
  ]) {
    const { left, text } = await createBrowser(studio.url).open(authorizationRequest(studio, more).address);
    if (left !== undefined) assert.match(left.href, /[?#&]error=/, JSON.stringify(more));
    else assert.match(text, /<h1>This request cannot be answered<\/h1>/, JSON.stringify(more));
  }
});

test('a form that another site sends does nothing', async () => {
  const { email } = await newPerson(studio);
  const browser = createBrowser(studio.url);
  const { address } = await browser.open(authorizationRequest(studio).address);
  const send = (headers: Record<string, string>) =>
    browser.open(address.pathname, {
      method: 'POST',
      body: new URLSearchParams({ email, password }),
      headers,
    });
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site', origin: studio.url },
    { 'sec-fetch-site': 'same-site', origin: studio.url },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${studio.url}.evil.example` },
  ]) {
    const page = await send(headers as Record<string, string>);
    assert.equal(page.status, 403, JSON.stringify(headers));
    assert.match(page.text, /<h1>This form came from somewhere else<\/h1>/);
  }
  // Browsers leave Sec-Fetch-Site out at plain http addresses.
  assert.match((await send({ origin: studio.url })).text, /Allow A /);
});

test("a link into the middle of somebody else's sign-in leads nowhere", async () => {
  const { email } = await newPerson(studio);
  const attacker = createBrowser(studio.url);
  const { address } = await attacker.open(authorizationRequest(studio).address);
  const victim = createBrowser(studio.url);
  const page = await victim.open(address.href);
  assert.equal(page.status, 400);
  assert.match(page.text, /<h1>This page has expired<\/h1>/);
  const sent = await victim.open(address.href, {
    method: 'POST',
    body: new URLSearchParams({ email, password }),
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(sent.status, 400);
  const other = await attacker.open('/sign-in/somebody-elses');
  assert.equal(other.status, 400);
});

test('a session that was there before is not the one that is signed in', async () => {
  const { browser } = await signInByBrowser(studio, await newPerson(studio));
  const name = [...browser.cookies.all.keys()].find((key) => key.endsWith('_session')) ?? '';
  const old = browser.cookies.all.get(name)?.value;
  const { email } = await newPerson(studio);
  await browser.open(authorizationRequest(studio, { prompt: 'login consent' }).address);
  await browser.press('Sign in', { email, password });
  await browser.press('Allow');
  assert.notEqual(browser.cookies.all.get(name)?.value, old);
  const rows = await studio.database.rows<{ found: number }>(
    `select count(*) as found from oidc_payloads where model = 'Session' and payload::text like '%' || $1 || '%'`,
    [old],
  );
  assert.equal(rows[0]?.found, 0);
});

test('what people wrote is text on every page', async () => {
  const bad = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
  const { email } = await newPerson(studio, { name: bad });
  const browser = createBrowser(studio.url);
  const pages = [
    await browser.open(authorizationRequest(studio, { login_hint: bad }).address),
    await browser.press('Sign in', { email: bad, password: bad }),
    await browser.press('Sign in', { email, password }),
    await browser.open(authorizationRequest(studio, { redirect_uri: bad, state: bad }).address),
    await browser.open(authorizationRequest(studio, { client_id: bad }).address),
    await browser.open(authorizationRequest(studio, { redirect_uri: undefined, scope: bad }).address),
    await browser.open(authorizationRequest(studio, { prompt: 'login' }).address),
    await browser.follow('Create an account'),
    await browser.press('Create account', { email: bad, name: bad, password: bad }),
  ];
  for (const { text, left } of pages) {
    assert.ok(!/<script|<img|<b>client/i.test(text), text);
    assert.equal(text.includes('</html>'), left === undefined);
  }
});

test('nothing is loaded, nothing runs, nothing is kept, nobody frames it', async () => {
  const { headers } = await createBrowser(studio.url).open(authorizationRequest(studio).address);
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self' http://127.0.0.1:9",
  ])
    assert.ok(policy.includes(part), policy);
  assert.ok(!policy.includes('script-src') && !policy.includes('unsafe'));
  assert.deepEqual(
    ['cache-control', 'x-content-type-options', 'referrer-policy', 'x-frame-options'].map((name) =>
      headers.get(name),
    ),
    ['no-store', 'nosniff', 'same-origin', 'DENY'],
  );
});

test('a browser that goes astray is shown a page, and a program is told in JSON', async () => {
  const browser = createBrowser(studio.url);
  for (const [address, status] of [
    ['/oidc/nothing', 404],
    ['/oidc/auth', 400],
    ['/oidc/auth/unknown', 400],
    ['/oidc/token', 404],
    ['/oidc/session/end?id_token_hint=x', 400],
    ['/sign-in/x', 400],
    ['/sign-in/x/y/z', 404],
    ['/sign-in', 404],
    ['/', 200],
  ] as const) {
    const page = await browser.open(address);
    assert.equal(page.status, status, address);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/, address);
    assert.match(page.text, /<h1>/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/, address);
  }
  const token = await fetch(`${studio.url}/oidc/token`, { method: 'POST' });
  assert.match(token.headers.get('content-type') ?? '', /^application\/json/);
});

test('a form that is no form, or far too long, is refused in a page', async () => {
  const browser = createBrowser(studio.url);
  const { address } = await browser.open(authorizationRequest(studio).address);
  const send = (body: string, type: string) =>
    browser.open(address.pathname, {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
    });
  const form = 'application/x-www-form-urlencoded';
  for (const [body, type, status] of [
    [`email=${'a'.repeat(20_000)}`, form, 413],
    ['{}', 'application/json', 415],
    ['x', 'text/plain', 415],
    ['email=a&email=b&password=c', form, 422],
    ['%00=%00&email=%00&password=%00', form, 422],
    ['email=%ff%fe&password=%f0', form, 422],
    ['', form, 422],
  ] as const) {
    const page = await send(body, type);
    assert.equal(page.status, status, body.slice(0, 40));
    assert.match(page.text, /<\/html>/);
  }
});

test('cookies are for the server alone, named after the port', async () => {
  const { browser } = await signInByBrowser(studio, await newPerson(studio));
  const { port } = new URL(studio.url);
  const noCookie = { attributes: [] as string[], path: undefined };
  const { attributes, path } = browser.cookies.all.get(`studio_${port}_session`) ?? noCookie;
  assert.equal(path, '/');
  assert.ok(attributes.includes('httponly') && attributes.includes('samesite=lax'));
  assert.ok(!attributes.includes('secure'));
});

test("under https cookies are Secure, whatever the proxy says of the request, and no address is the caller's", async () => {
  await using secure = await startTestStudio({
    worker: false,
    config: { client: clientWithAddresses, publicUrl: 'https://studio.example.org' },
  });
  const { pathname, search } = new URL(authorizationRequest(secure).address);
  const { headers } = await get(secure.url, pathname + search, { host: 'evil.example' });
  const cookies = headers['set-cookie'] ?? [];
  assert.ok(cookies.length >= 2);
  for (const cookie of cookies) {
    assert.match(cookie, /^(__Host-studio_443_session|__Secure-studio_443_(interaction|resume))(\.sig)?=/);
    assert.match(cookie, /; secure/);
    assert.match(cookie, /; httponly/);
  }
  const { body } = await get(secure.url, '/oidc/.well-known/openid-configuration', { host: 'evil.example' });
  assert.ok(!body.includes('evil.example'));
  assert.ok(body.includes('"token_endpoint":"https://studio.example.org/oidc/token"'));
});

/** Without fetch, which would set another Host. */
function get(origin: string, path: string, headers: Record<string, string>) {
  return new Promise<{ headers: Record<string, string[] | string | undefined>; body: string }>(
    (resolve, reject) => {
      httpRequest(origin + path, { headers }, (response) => {
        let body = '';
        response.on('data', (chunk) => (body += chunk));
        response.on('end', () => resolve({ headers: response.headers, body }));
      })
        .on('error', reject)
        .end();
    },
  );
}
