import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { deleteAccount, endSession, setAccount, setMaintenance } from '@renderkit/studio/operator.ts';
import { createBrowser } from './browser.ts';
import {
  authorizationRequest,
  claimsOf,
  clientWithAddresses,
  exchangeCode,
  newPerson,
  password,
  signInByBrowser,
} from './code-flow.ts';
import { client, refresh, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(
  async () => (studio = await startTestStudio({ worker: false, config: { client: clientWithAddresses } })),
);
after(async () => studio[Symbol.asyncDispose]());

const accountOf = async (accessToken: string) => {
  const response = await fetch(`${studio.url}/api/account`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return { status: response.status, id: ((await response.json()) as { id?: string }).id };
};

test('somebody signs in, allows the client, and the client gets tokens that refresh', async () => {
  const { id, email } = await newPerson(studio);
  const browser = createBrowser(studio.url);
  const request = authorizationRequest(studio);
  const page = await browser.open(request.address);
  assert.equal(page.status, 200);
  assert.match(page.text, /<h1>Sign in<\/h1>/);
  const consent = await browser.press('Sign in', { email, password });
  assert.match(consent.text, /Allow Renderkit to use your account\?/);
  assert.ok(consent.text.includes(email));
  const { left } = await browser.press('Allow');
  assert.equal(`${left?.origin}${left?.pathname}`, clientWithAddresses.redirectUris[0]);
  assert.equal(left?.searchParams.get('state'), request.state);
  assert.equal(left?.searchParams.get('iss'), `${studio.url}/oidc`);
  const { status, body } = await exchangeCode(studio, left, request);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.scope, 'openid offline_access email profile');
  const claims = claimsOf(body.id_token);
  assert.deepEqual([claims['sub'], claims['nonce'], claims['aud']], [id, request.nonce, client.id]);
  const next = await refresh(studio.url, body.refresh_token ?? '');
  assert.deepEqual(await accountOf(next.accessToken), { status: 200, id });
});

test('consent is asked for once; later sign-ins are given a refresh token all the same', async () => {
  const person = await newPerson(studio);
  const { body: first } = await signInByBrowser(studio, person);
  const request = authorizationRequest(studio);
  const browser = createBrowser(studio.url);
  await browser.open(request.address);
  const { left } = await browser.press('Sign in', { email: person.email, password });
  const { body } = await exchangeCode(studio, left, request);
  const { accessToken } = await refresh(studio.url, body.refresh_token ?? '');
  assert.equal((await accountOf(accessToken)).status, 200);
  assert.equal((await accountOf(first.access_token ?? '')).status, 200, 'the earlier connection goes on');
});

test('who is signed in and has consented sees no page at all', async () => {
  const person = await newPerson(studio);
  const { browser } = await signInByBrowser(studio, person);
  const request = authorizationRequest(studio);
  const { left } = await browser.open(request.address);
  assert.equal((await exchangeCode(studio, left, request)).status, 200);
  const again = await browser.open(authorizationRequest(studio, { prompt: 'login consent' }).address);
  assert.match(again.text, /<h1>Sign in<\/h1>/, 'unless the client wants the password anew');
});

test('what the operator granted is consent, and what the operator ends has to be granted again', async () => {
  const { email } = await studio.connect({ password });
  const browser = createBrowser(studio.url);
  await browser.open(authorizationRequest(studio).address);
  assert.notEqual((await browser.press('Sign in', { email, password })).left, undefined);
  await endSession(studio.database, email, client.id);
  const asked = await browser.open(authorizationRequest(studio).address);
  assert.match(asked.text, /Allow Renderkit/);
});

test('no is an answer: the client is told access_denied, on either page', async () => {
  const { email } = await newPerson(studio);
  const browser = createBrowser(studio.url);
  const request = authorizationRequest(studio);
  await browser.open(request.address);
  const canceled = await browser.press('Cancel and go back to Renderkit');
  assert.equal(canceled.left?.searchParams.get('error'), 'access_denied');
  assert.equal(canceled.left?.searchParams.get('state'), request.state);
  await browser.open(authorizationRequest(studio).address);
  await browser.press('Sign in', { email, password });
  const denied = await browser.press('Do not allow');
  assert.equal(denied.left?.searchParams.get('error'), 'access_denied');
  assert.equal(denied.left?.searchParams.get('code'), null);
});

test('another account can be used in a browser that knows one', async () => {
  const [first, second] = [await newPerson(studio), await newPerson(studio)];
  const browser = createBrowser(studio.url);
  await browser.open(authorizationRequest(studio).address);
  const request = authorizationRequest(studio);
  await browser.press('Sign in', { email: first.email, password });
  await browser.open(request.address);
  await browser.follow('Use another account');
  const consent = await browser.press('Sign in', { email: second.email, password });
  assert.ok(consent.text.includes(second.email));
  assert.ok(!consent.text.includes(first.email));
  const { left } = await browser.press('Allow');
  const { body } = await exchangeCode(studio, left, request);
  assert.equal(claimsOf(body.id_token)['sub'], second.id);
});

test('an address is the same however it is written, and may be hinted at by the client', async () => {
  const { email } = await newPerson(studio);
  const browser = createBrowser(studio.url);
  const page = await browser.open(authorizationRequest(studio, { login_hint: email }).address);
  assert.ok(page.text.includes(`value="${email}"`));
  const consent = await browser.press('Sign in', { email: ` ${email.toUpperCase()} `, password });
  assert.match(consent.text, /Allow Renderkit/);
});

test('a suspended account signs in, and the studio says what it is', async () => {
  const person = await newPerson(studio);
  await setAccount(studio.database, person.email, { suspended: true });
  const { body } = await signInByBrowser(studio, person);
  const response = await fetch(`${studio.url}/api/account`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  assert.equal(((await response.json()) as { state: string }).state, 'suspended');
});

test('a browser forgets an account that is deleted, or has a new password', async () => {
  const person = await newPerson(studio);
  const { browser } = await signInByBrowser(studio, person);
  await setAccount(studio.database, person.email, { password: 'something else entirely' });
  assert.match((await browser.open(authorizationRequest(studio).address)).text, /<h1>Sign in<\/h1>/);
  const wrong = await browser.press('Sign in', { email: person.email, password });
  assert.equal(wrong.status, 422);
  await browser.press('Sign in', { email: person.email, password: 'something else entirely' });
  await deleteAccount(studio.database, person.email);
  assert.match((await browser.open(authorizationRequest(studio).address)).text, /<h1>Sign in<\/h1>/);
  const other = await newPerson(studio);
  assert.match((await browser.press('Sign in', { email: other.email, password })).text, /Allow Renderkit/);
});

test('signing in leaves no more grants than are in use', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const person = await newPerson(studio);
  for (let round = 0; round < 3; round++) await signInByBrowser(studio, person);
  // Later than the expiry of every refresh token.
  await moveClock(studio.database, 91 * 86_400);
  await signInByBrowser(studio, person);
  const [row] = await studio.database.rows<{ grants: number }>(
    `select count(*) as grants from oidc_payloads where model = 'Grant' and account_id = $1`,
    [person.id],
  );
  assert.equal(row?.grants, 1);
});

test('who reloads what needs no page leaves one grant behind', async () => {
  const { browser } = await signInByBrowser(studio, await newPerson(studio));
  const grants = () => studio.database.rows(`select 1 from oidc_payloads where model = 'Grant'`);
  const kept = (await grants()).length;
  const go = async (address: string | URL) => {
    const at = new URL(address, studio.url);
    const cookie = browser.cookies.sentTo(at);
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
    browser.cookies.take(answer.headers.getSetCookie(), at);
    return answer.headers.get('location') ?? '';
  };
  const page = await go(authorizationRequest(studio).address);
  let next = '';
  for (let i = 0; i < 5; i++) next = await go(page);
  assert.equal((await grants()).length, kept + 1);
  assert.match(await go(next), /[?&]code=/);
});

test('under maintenance nobody signs in, and is told so in a page', async (t) => {
  t.after(() => setMaintenance(studio.database, false));
  const browser = createBrowser(studio.url);
  await setMaintenance(studio.database, true);
  const page = await browser.open(authorizationRequest(studio).address);
  assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '30']);
  assert.match(page.text, /<h1>The studio is under maintenance<\/h1>/);
});

test('while the database does not answer a page says to come again', async () => {
  const browser = createBrowser(studio.url);
  const { address } = await browser.open(authorizationRequest(studio).address);
  const holder = await studio.database.pool.connect();
  await holder.query('begin; set local idle_in_transaction_session_timeout = 0');
  await holder.query('lock table oidc_payloads, sign_in_attempts in access exclusive mode');
  try {
    const pages = await Promise.all(
      [authorizationRequest(studio).address, address.href, `${studio.url}/oidc/auth/x`].map((url) => {
        const other = createBrowser(studio.url);
        for (const [name, cookie] of browser.cookies.all)
          other.cookies.all.set(name, { ...cookie, path: '/' });
        return other.open(url);
      }),
    );
    for (const { status, text, headers } of pages) {
      assert.deepEqual([status, headers.get('retry-after')], [503, '5'], text);
      assert.match(text, /<h1>The studio cannot answer now<\/h1>/);
    }
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});
