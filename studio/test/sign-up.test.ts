import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { checkLedger, listAccounts } from '@renderkit/studio/operator.ts';
import { type Browser, createBrowser, type Shown } from './browser.ts';
import { authorizationRequest, clientWithAddresses, newPerson, password } from './code-flow.ts';
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

let places = 0;
/** A browser somewhere else than all others, on the page to make an account. */
async function atSignUp(place = `203.0.113.${++places}`): Promise<Browser> {
  const browser = createBrowser(studio.url, { 'x-forwarded-for': place });
  await browser.open(authorizationRequest(studio).address);
  const page = await browser.follow('Create an account');
  assert.match(page.text, /<h1>Create an account<\/h1>/);
  return browser;
}

const signUp = (browser: Browser, fields: { email: string; name?: string; password?: string }) =>
  browser.press('Create account', { name: 'Ada Lovelace', password, ...fields });

/** The page without what differs by interaction and by what was typed. */
const told = ({ status, text }: Shown, email: string) => ({
  status,
  text: text.replaceAll(email, '').replaceAll(/\/sign-in\/[\w-]+/g, ''),
});

test('a new account signs in at once and has what the free plan has', async () => {
  const browser = await atSignUp();
  const email = 'new@example.org';
  const page = await signUp(browser, { email });
  assert.equal(page.status, 200);
  assert.match(page.text, /There is an account with this address now/);
  assert.ok(page.text.includes(`value="${email}"`));
  assert.match((await browser.press('Sign in', { email, password })).text, /Allow Renderkit/);
  const account = (await listAccounts(studio.database)).find((one) => one.email === email);
  assert.deepEqual(
    [account?.name, account?.tier, account?.monthly_millicredits],
    ['Ada Lovelace', 'free', 50_000],
  );
  assert.deepEqual(await checkLedger(studio.database), []);
});

test('an address that has an account is answered like any other, and its account stays as it is', async () => {
  const { email, id } = await newPerson(studio, { name: 'Grace' });
  const taken = await signUp(await atSignUp(), { email: email.toUpperCase(), password: 'quite another one' });
  const free = await signUp(await atSignUp(), { email: 'free@example.org' });
  assert.deepEqual(told(taken, email.toUpperCase()), told(free, 'free@example.org'));
  const browser = createBrowser(studio.url);
  await browser.open(authorizationRequest(studio).address);
  assert.equal((await browser.press('Sign in', { email, password: 'quite another one' })).status, 422);
  assert.match((await browser.press('Sign in', { email, password })).text, /Allow Renderkit/);
  const accounts = (await listAccounts(studio.database)).filter((one) => one.email === email);
  assert.deepEqual(
    accounts.map((account) => [account.id, account.name]),
    [[id, 'Grace']],
  );
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

test('one place makes ten accounts in a quarter of an hour', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const place = '198.51.100.7';
  for (let i = 0; i < 10; i++)
    assert.equal((await signUp(await atSignUp(place), { email: `many${i}@example.org` })).status, 200);
  const browser = await atSignUp(place);
  const refused = await signUp(browser, { email: 'many10@example.org' });
  assert.equal(refused.status, 429);
  assert.match(refused.text, /Too many tries\. Try again in 15 minutes\./);
  assert.equal((await signUp(await atSignUp(), { email: 'elsewhere@example.org' })).status, 200);
  await moveClock(studio.database, 15 * 60 + 1);
  assert.equal((await signUp(await atSignUp(place), { email: 'many10@example.org' })).status, 200);
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
