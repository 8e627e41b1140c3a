import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAccount } from '@renderkit/studio/operator.ts';
import { createBrowser } from './browser.ts';
import { authorizationRequest, claimsOf, clientWithAddresses, exchangeCode } from './code-flow.ts';
import { refresh, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(
  async () =>
    (studio = await startTestStudio({
      worker: false,
      config: { client: clientWithAddresses, signUp: 'open' },
    })),
);
after(async () => studio[Symbol.asyncDispose]());

const password = 'correct horse battery';
let people = 0;
const newPerson = async (more: { name?: string } = {}) => {
  const email = `person${++people}@example.org`;
  return createAccount(studio.database, { email, password, ...more });
};

test('somebody signs in, allows the client, and the client gets tokens that refresh', async () => {
  const { id, email } = await newPerson({ name: 'Ada' });
  const browser = createBrowser(studio.url);
  const request = authorizationRequest(studio);
  const page = await browser.open(request.address);
  assert.equal(page.status, 200);
  assert.match(page.text, /<h1>Sign in<\/h1>/);
  const consent = await browser.press('Sign in', { email: email ?? '', password });
  assert.match(consent.text, /Allow Renderkit to use your account\?/);
  assert.match(consent.text, new RegExp(email ?? ''));
  const { left } = await browser.press('Allow');
  assert.equal(`${left?.origin}${left?.pathname}`, clientWithAddresses.redirectUris[0]);
  assert.equal(left?.searchParams.get('state'), request.state);
  assert.equal(left?.searchParams.get('iss'), `${studio.url}/oidc`);
  const { status, body } = await exchangeCode(studio, left?.searchParams.get('code') ?? '', {
    code_verifier: request.verifier,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.scope, 'openid offline_access email profile');
  const claims = claimsOf(body.id_token);
  assert.deepEqual([claims['sub'], claims['nonce'], claims['aud']], [id, request.nonce, 'renderkit-service']);
  const next = await refresh(studio.url, body.refresh_token ?? '');
  const account = await fetch(`${studio.url}/api/account`, {
    headers: { authorization: `Bearer ${next.accessToken}` },
  });
  assert.equal(((await account.json()) as { id: string }).id, id);
});
