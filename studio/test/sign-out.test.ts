import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createBrowser } from './browser.ts';
import { authorizationRequest, clientWithAddresses, newPerson, signInByBrowser } from './code-flow.ts';
import { client, refresh, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(
  async () => (studio = await startTestStudio({ worker: false, config: { client: clientWithAddresses } })),
);
after(async () => studio[Symbol.asyncDispose]());

const [signedOut = ''] = clientWithAddresses.logoutUris;

const endSessionAt = (parameters: Record<string, string>) =>
  `${studio.url}/oidc/session/end?${new URLSearchParams(parameters).toString()}`;

test("with the person's own ID token the client signs them out without a page", async () => {
  const person = await newPerson(studio);
  const { browser, body } = await signInByBrowser(studio, person);
  const { left } = await browser.open(
    endSessionAt({
      id_token_hint: body.id_token ?? '',
      post_logout_redirect_uri: signedOut,
      state: 'a state',
    }),
  );
  assert.equal(left?.href, `${signedOut}?state=a+state`);
  assert.match((await browser.open(authorizationRequest(studio).address)).text, /<h1>Sign in<\/h1>/);
  // Keys of the account still work.
  const { accessToken } = await refresh(studio.url, body.refresh_token ?? '');
  assert.notEqual(accessToken, '');
});

test('without one, or with that of somebody else, the person is asked', async () => {
  const [person, other] = [await newPerson(studio), await newPerson(studio)];
  const { body: others } = await signInByBrowser(studio, other);
  const { browser } = await signInByBrowser(studio, person);
  for (const [name, proof = ''] of [
    ['client_id', client.id],
    ['id_token_hint', others.id_token],
  ] as const) {
    const page = await browser.open(endSessionAt({ [name]: proof, post_logout_redirect_uri: signedOut }));
    assert.match(page.text, /Sign out of the studio\?/);
    assert.ok(page.text.includes(person.email));
  }
  assert.equal((await browser.press('Stay signed in')).left?.href, signedOut);
  assert.notEqual((await browser.open(authorizationRequest(studio).address)).left, undefined);
  await browser.open(endSessionAt({ client_id: client.id, post_logout_redirect_uri: signedOut }));
  assert.equal((await browser.press('Sign out')).left?.href, signedOut);
  assert.match((await browser.open(authorizationRequest(studio).address)).text, /<h1>Sign in<\/h1>/);
});

test('who is not signed in is signed out already', async () => {
  const browser = createBrowser(studio.url);
  const { left } = await browser.open(
    endSessionAt({ client_id: client.id, post_logout_redirect_uri: signedOut }),
  );
  assert.equal(left?.href, signedOut);
  const page = await browser.open(endSessionAt({}));
  assert.match(page.text, /<h1>You are signed out<\/h1>/);
});

test('nobody is sent to an address that is not registered', async () => {
  const person = await newPerson(studio);
  const { browser, body } = await signInByBrowser(studio, person);
  for (const uri of ['https://evil.example/', `${signedOut}/`, `${signedOut}?x=1`, 'javascript:alert(1)']) {
    const page = await browser.open(
      endSessionAt({ id_token_hint: body.id_token ?? '', post_logout_redirect_uri: uri }),
    );
    assert.deepEqual([page.status, page.left], [400, undefined], uri);
  }
  // Without a client, there is no registered address to compare with: the address is ignored.
  const page = await browser.open(endSessionAt({ post_logout_redirect_uri: 'https://evil.example/' }));
  assert.match(page.text, /Sign out of the studio\?/);
  assert.match((await browser.press('Sign out')).text, /<h1>You are signed out<\/h1>/);
});

test('a form of somebody else signs nobody out', async () => {
  const person = await newPerson(studio);
  const { browser } = await signInByBrowser(studio, person);
  await browser.open(endSessionAt({ client_id: client.id }));
  const forged = await browser.open('/oidc/session/end/confirm', {
    method: 'POST',
    body: new URLSearchParams({ logout: 'yes', xsrf: 'guessed' }),
  });
  assert.equal(forged.status, 400);
  assert.notEqual((await browser.open(authorizationRequest(studio).address)).left, undefined);
});

test('a browser in which nobody is signed in leaves no row behind, however the address is written', async () => {
  const sessions = () => studio.database.rows(`select 1 from oidc_payloads where model = 'Session'`);
  const person = await newPerson(studio);
  const { browser } = await signInByBrowser(studio, person);
  await browser.open(endSessionAt({ client_id: client.id }));
  await browser.press('Sign out');
  const kept = await sessions();
  for (const path of ['/oidc/session/end', '/oidc/Session/End', '/oidc/session/end/'])
    for (const one of [browser, createBrowser(studio.url)]) {
      const page = await one.open(studio.url + path);
      assert.match(page.text, /<h1>You are signed out<\/h1>/, path);
    }
  assert.deepEqual(await sessions(), kept);
});
