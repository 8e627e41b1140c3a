import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { checkLedger, listAccounts, setAccount, showAudit } from '@renderkit/studio/operator.ts';
import { type Browser, createBrowser, type Shown } from './browser.ts';
import {
  authorizationRequest,
  claimsOf,
  clientWithAddresses,
  exchangeCode,
  newPerson,
  password,
  signInByBrowser,
} from './code-flow.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(
  async () =>
    (studio = await startTestStudio({
      worker: false,
      config: { client: clientWithAddresses, signUp: 'open', trustProxy: ['127.0.0.1'] },
    })),
);
after(async () => studio[Symbol.asyncDispose]());

let addressCount = 0;
/** Returns a browser with a new address, on the page to create an account. */
async function atSignUp(address = `203.0.113.${++addressCount}`): Promise<Browser> {
  const browser = createBrowser(studio.url, { 'x-forwarded-for': address });
  await browser.open(authorizationRequest(studio).address);
  const page = await browser.follow('Create an account');
  assert.match(page.text, /<h1>Create an account<\/h1>/);
  return browser;
}

const signUp = (browser: Browser, fields: { email: string; name?: string; password?: string }) =>
  browser.press('Create account', { name: 'Ada Lovelace', password, ...fields });

/** Returns the page without what depends on the interaction and on the user's input. */
const comparable = ({ status, text }: Shown, email: string) => ({
  status,
  text: text.replaceAll(email, '').replaceAll(/\/sign-in\/[\w-]+/g, ''),
});

test('the form makes the account, signs in and allows the client: no other page comes between', async () => {
  const browser = createBrowser(studio.url);
  const request = authorizationRequest(studio, { prompt: 'create consent' });
  const form = await browser.open(request.address);
  assert.match(form.text, /<h1>Create an account<\/h1>/);
  for (const asked of ['Know who you are', 'Make pictures and videos for you', 'Go on while you are away'])
    assert.ok(form.text.includes(asked), asked);
  const email = 'new@example.org';
  const { left } = await signUp(browser, { email });
  const { body } = await exchangeCode(studio, left, request);
  assert.equal(body.scope, 'openid offline_access email profile');
  const account = (await listAccounts(studio.database)).find((one) => one.email === email);
  assert.equal(claimsOf(body.id_token)['sub'], account?.id);
  assert.deepEqual(
    [account?.name, account?.tier, account?.monthly_millicredits],
    ['Ada Lovelace', 'free', 50_000],
  );
  assert.deepEqual(await checkLedger(studio.database), []);
  // The consent remains, and the browser stays signed in.
  assert.notEqual((await browser.open(authorizationRequest(studio).address)).left, undefined);
  const [entry] = await showAudit(studio.database, email);
  assert.deepEqual([entry?.action, entry?.actor], ['account.created', 'person']);
});

test('who was sent to make an account may sign in to the one they have, or go back', async () => {
  const { email, id } = await newPerson(studio);
  const browser = createBrowser(studio.url);
  const request = authorizationRequest(studio, { prompt: 'create consent' });
  await browser.open(request.address);
  await browser.follow('Sign in');
  assert.match((await browser.press('Sign in', { email, password })).text, /Allow Renderkit/);
  const { left } = await browser.press('Allow');
  const { body } = await exchangeCode(studio, left, request);
  assert.equal(claimsOf(body.id_token)['sub'], id);
  await browser.open(authorizationRequest(studio, { prompt: 'create consent' }).address);
  const canceled = await browser.press('Cancel and go back to Renderkit');
  assert.equal(canceled.left?.searchParams.get('error'), 'access_denied');
});

test('an address that has an account is answered as a wrong password is, and its account stays as it is', async () => {
  const { email, id } = await newPerson(studio, { name: 'Grace' });
  const another = 'quite another one';
  const taken = await signUp(await atSignUp(), { email: email.toUpperCase(), password: another });
  const browser = createBrowser(studio.url);
  await browser.open(authorizationRequest(studio).address);
  const wrong = await browser.press('Sign in', { email, password: another });
  assert.equal(wrong.status, 422);
  assert.deepEqual(comparable(taken, email.toUpperCase()), comparable(wrong, email));
  assert.match((await browser.press('Sign in', { email, password })).text, /Allow Renderkit/);
  const accounts = (await listAccounts(studio.database)).filter((one) => one.email === email);
  assert.deepEqual(
    accounts.map((account) => [account.id, account.name]),
    [[id, 'Grace']],
  );
});

test('to ask for an account that is there counts as a guess at its password', async () => {
  const { email } = await newPerson(studio);
  const address = '198.51.100.8';
  const guess = async (i: number) =>
    signUp(await atSignUp(address), { email, password: `a wrong guess ${i}` });
  for (let i = 0; i < 5; i++) assert.equal((await guess(i)).status, 422);
  const browser = createBrowser(studio.url, { 'x-forwarded-for': address });
  await browser.open(authorizationRequest(studio).address);
  for (let i = 0; i < 5; i++)
    assert.equal((await browser.press('Sign in', { email, password: 'wrong' })).status, 422);
  assert.equal((await browser.press('Sign in', { email, password })).status, 429);
  assert.equal((await guess(6)).status, 429);
});

test('who sends the form twice, or has forgotten their account, is signed in with the right password', async () => {
  const { email, id } = await newPerson(studio, { name: 'Grace' });
  const browser = createBrowser(studio.url);
  const request = authorizationRequest(studio, { prompt: 'create consent' });
  await browser.open(request.address);
  const { left } = await signUp(browser, { email, name: 'Somebody else' });
  const { body } = await exchangeCode(studio, left, request);
  assert.equal(claimsOf(body.id_token)['sub'], id);
  assert.equal((await listAccounts(studio.database)).find((one) => one.id === id)?.name, 'Grace');
});

test('of two forms with one address at once one makes the account', async () => {
  const email = 'twice@example.org';
  const browsers = await Promise.all([atSignUp(), atSignUp()]);
  const pages = await Promise.all(
    browsers.map((browser, i) => signUp(browser, { email, password: `password number ${i}` })),
  );
  assert.equal(pages.filter(({ left }) => left !== undefined).length, 1);
  assert.equal(pages.filter(({ status }) => status === 422).length, 1);
  assert.equal((await listAccounts(studio.database)).filter((one) => one.email === email).length, 1);
});

test('an account that has yet to verify its address is told so everywhere else, as before', async () => {
  const browser = createBrowser(studio.url);
  const request = authorizationRequest(studio, { prompt: 'create consent' });
  await browser.open(request.address);
  const email = 'unverified@example.org';
  const { left } = await signUp(browser, { email });
  await setAccount(studio.database, email, { emailVerified: false });
  const { body } = await exchangeCode(studio, left, request);
  const response = await fetch(`${studio.url}/api/account`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  assert.equal(((await response.json()) as { state: string }).state, 'email_not_verified');
});

test('a session that was there before is not the one that the new account is signed in with', async () => {
  const { browser } = await signInByBrowser(studio, await newPerson(studio));
  const name = [...browser.cookies.all.keys()].find((key) => key.endsWith('_session')) ?? '';
  const old = browser.cookies.all.get(name)?.value;
  const request = authorizationRequest(studio, { prompt: 'create consent' });
  await browser.open(request.address);
  const { left } = await signUp(browser, { email: 'fresh@example.org' });
  assert.notEqual(browser.cookies.all.get(name)?.value, old);
  const account = (await listAccounts(studio.database)).find((one) => one.email === 'fresh@example.org');
  const { body } = await exchangeCode(studio, left, request);
  assert.equal(claimsOf(body.id_token)['sub'], account?.id);
});

test('each wrong field is told beside it, and nothing typed is lost but the password', async () => {
  const browser = await atSignUp();
  const page = await signUp(browser, { email: 'nobody', name: '   ', password: 'short' });
  assert.equal(page.status, 422);
  for (const name of ['name', 'email', 'password']) assert.match(page.text, new RegExp(`id="${name}-error"`));
  assert.ok(page.text.includes('value="nobody"'));
  assert.ok(!page.text.includes('value="short"'));
  for (const [email, wrong] of [
    ['a@b', undefined],
    ['a\u0000@example.org', 'email'],
    ['a b@example.org', 'email'],
    ['a@b@example.org', 'email'],
    [`${'a'.repeat(250)}@x.org`, 'email'],
    ['same@example.org', 'password'],
  ] as const) {
    const answer = await signUp(await atSignUp(), {
      email,
      ...(wrong === 'password' && { password: email }),
    });
    assert.equal(answer.text.includes(`id="${wrong}-error"`), wrong !== undefined, email);
  }
});

test('one address makes ten accounts in a quarter of an hour', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const address = '198.51.100.7';
  for (let i = 0; i < 10; i++)
    assert.notEqual(
      (await signUp(await atSignUp(address), { email: `many${i}@example.org` })).left,
      undefined,
    );
  const browser = await atSignUp(address);
  const refused = await signUp(browser, { email: 'many10@example.org' });
  assert.equal(refused.status, 429);
  assert.match(refused.text, /Too many tries\. Try again in 15 minutes\./);
  assert.notEqual((await signUp(await atSignUp(), { email: 'elsewhere@example.org' })).left, undefined);
  await moveClock(studio.database, 15 * 60 + 1);
  assert.notEqual((await signUp(await atSignUp(address), { email: 'many10@example.org' })).left, undefined);
});

test('where the operator lets nobody in, there is no such page', async () => {
  await using closed = await startTestStudio({ worker: false, config: { client: clientWithAddresses } });
  const browser = createBrowser(closed.url);
  const page = await browser.open(authorizationRequest(closed).address);
  assert.ok(!page.text.includes('Create an account'));
  const shown = await browser.open(`${page.address.pathname}/sign-up`);
  assert.equal(shown.status, 404);
  const sent = await browser.open(`${page.address.pathname}/sign-up`, {
    method: 'POST',
    body: new URLSearchParams({ email: 'a@example.org', name: 'A', password }),
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(sent.status, 404);
  assert.deepEqual(await listAccounts(closed.database), []);
});
