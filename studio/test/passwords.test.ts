import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashPassword } from '@renderkit/identity/passwords/password.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { changePassword } from '@renderkit/studio/accounts/set-password.ts';
import { setAccount, showAudit } from '@renderkit/studio/operator.ts';
import { type Browser, createBrowser, type Shown } from './browser.ts';
import {
  authorizationRequest,
  clientWithAddresses,
  newPerson,
  password,
  type Person,
  signInByBrowser,
} from './code-flow.ts';
import { refresh, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(
  async () =>
    (studio = await startTestStudio({
      worker: false,
      config: { client: clientWithAddresses, trustProxy: ['127.0.0.1'] },
    })),
);
after(async () => studio[Symbol.asyncDispose]());

const next = 'a new password of mine';
const page = '/account/password';

const change = async (browser: Browser, fields: Record<string, string>): Promise<Shown> => {
  await browser.open(`${studio.url}${page}`);
  return browser.press('Change password', { current: password, password: next, ...fields });
};
/** Returns whether a browser passes an authorization request without a page. */
const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.open(authorizationRequest(studio).address)).left !== undefined;
/** Returns whether the sign-in page accepts this password. */
const opens = async ({ email }: Person, word: string): Promise<boolean> => {
  const browser = createBrowser(studio.url);
  await browser.open(authorizationRequest(studio).address);
  const { status } = await browser.press('Sign in', { email, password: word });
  assert.ok([200, 303, 422].includes(status), `${status}`);
  return status !== 422;
};

test('somebody changes their password; this browser stays signed in and every other has to sign in again', async () => {
  const person = await newPerson(studio);
  const { browser: other } = await signInByBrowser(studio, person);
  const { browser, body } = await signInByBrowser(studio, person);
  const form = await browser.open(`${studio.url}${page}`);
  assert.match(form.text, /<h1>Change your password<\/h1>/);
  assert.ok(form.text.includes(`value="${person.email}"`));
  assert.equal([...form.text.matchAll(/type="password"/g)].length, 2, 'the new one is asked for once');
  const name = `studio_${new URL(studio.url).port}_session`;
  const old = browser.cookies.all.get(name)?.value;
  const done = await browser.press('Change password', { current: password, password: next });
  assert.equal(done.status, 200, done.text);
  assert.match(done.text, /<h1>Your password is changed<\/h1>/);
  assert.ok(done.text.includes(`href="${clientWithAddresses.url}"`), 'and goes back to the console');

  assert.notEqual(browser.cookies.all.get(name)?.value, old, 'under a cookie of its own');
  assert.equal(await isSignedIn(browser), true);
  assert.equal(await isSignedIn(other), false);
  assert.equal(await opens(person, password), false);
  assert.equal(await opens(person, next), true);
  // Keys of the account work, and queued renders run.
  assert.notEqual((await refresh(studio.url, body.refresh_token ?? '')).accessToken, '');
  const [entry] = await showAudit(studio.database, person.email);
  assert.deepEqual(
    [entry?.action, entry?.actor, entry?.address],
    ['password.changed', 'person', '127.0.0.1'],
  );
});

test('a copy of the cookie from before the change opens nothing', async () => {
  const { browser } = await signInByBrowser(studio, await newPerson(studio));
  const thief = createBrowser(studio.url);
  for (const [name, cookie] of browser.cookies.all) thief.cookies.all.set(name, cookie);
  await change(browser, {});
  assert.equal(await isSignedIn(thief), false);
  assert.equal(await isSignedIn(browser), true);
});

test('who is not signed in at the studio says who they are, and is not signed in by it', async () => {
  const person = await newPerson(studio);
  const browser = createBrowser(studio.url);
  const wellKnown = await browser.open(
    `${studio.url}/.well-known/change-password?login_hint=${encodeURIComponent(person.email)}`,
  );
  assert.equal(wellKnown.address.pathname, page);
  assert.ok(wellKnown.text.includes(`value="${person.email}"`));
  const done = await browser.press('Change password', { current: password, password: next });
  assert.match(done.text, /Your password is changed/);
  assert.equal(await isSignedIn(browser), false);
  assert.equal(await opens(person, next), true);
});

test('nothing is changed by a form with something wrong in it, which says what', async () => {
  const person = await newPerson(studio);
  const { browser } = await signInByBrowser(studio, person);
  for (const [fields, wrong] of [
    [{ password: 'short' }, 'password'],
    [{ password: 'x'.repeat(201) }, 'password'],
    [{ password: person.email.toUpperCase() }, 'password'],
    [{ password }, 'password'],
    [{ password: '' }, 'password'],
    [{ current: '' }, 'current'],
    [{ email: 'nobody' }, 'email'],
  ] as [Record<string, string>, string][]) {
    const shown = await change(browser, fields);
    assert.equal(shown.status, 422, JSON.stringify(fields));
    assert.match(shown.text, new RegExp(`id="${wrong}-error"`), JSON.stringify(fields));
    for (const [name, value] of Object.entries(fields))
      if (name !== 'email' && value !== '' && value !== person.email.toUpperCase())
        assert.ok(!shown.text.includes(`value="${value}"`), 'no password is sent back');
  }
  assert.equal(await opens(person, password), true);
});

test('a wrong password, an unknown account and one without a password are told alike', async () => {
  const person = await newPerson(studio);
  await studio.connect({ email: 'without@example.org' });
  const answers = [];
  for (const email of [person.email, 'unknown@example.org', 'without@example.org']) {
    const { status, text } = await change(createBrowser(studio.url), { email, current: 'a wrong one' });
    answers.push({ status, text: text.replaceAll(email, '') });
  }
  assert.equal(answers[0]?.status, 422);
  assert.match(answers[0]?.text ?? '', /E-mail address or current password is wrong\./);
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
});

test('guesses count together with those at the sign-in page', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const { email } = await newPerson(studio);
  const browser = createBrowser(studio.url, { 'x-forwarded-for': '203.0.113.70' });
  for (let i = 0; i < 10; i++)
    assert.equal((await change(browser, { email, current: `a wrong guess ${i}` })).status, 422);
  const refused = await change(browser, { email });
  assert.equal(refused.status, 429);
  assert.match(refused.text, /Too many tries\. Try again in 15 minutes\./);
  assert.ok(Number(refused.headers.get('retry-after')) > 14 * 60);
  await browser.open(authorizationRequest(studio).address);
  assert.equal((await browser.press('Sign in', { email, password })).status, 429);
  await moveClock(studio.database, 15 * 60 + 1);
  assert.equal((await change(browser, { email })).status, 200);
});

test('a form that another site sends changes nothing', async () => {
  const person = await newPerson(studio);
  const { browser } = await signInByBrowser(studio, person);
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site', origin: studio.url },
    { 'sec-fetch-site': 'same-site', origin: studio.url },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    const shown = await browser.open(`${studio.url}${page}`, {
      method: 'POST',
      body: new URLSearchParams({ email: person.email, current: password, password: next }),
      headers: headers as Record<string, string>,
    });
    assert.equal(shown.status, 403, JSON.stringify(headers));
    assert.match(shown.text, /<h1>This form came from somewhere else<\/h1>/);
  }
  assert.equal(await opens(person, password), true);
});

test('of two changes at once one wins', async () => {
  const person = await newPerson(studio);
  const words = ['one new password', 'another new password'];
  const shown = await Promise.all(
    words.map((word) => change(createBrowser(studio.url), { email: person.email, password: word })),
  );
  assert.deepEqual(new Set(shown.map(({ status }) => status)), new Set([200, 422]));
  const winner = words[shown.findIndex(({ status }) => status === 200)] ?? '';
  assert.equal(await opens(person, winner), true);
  assert.equal((await showAudit(studio.database, person.email)).length, 2);
});

test('a sign-in with the old password that is under way while it changes comes to nothing', async () => {
  const person = await newPerson(studio);
  const setNext = async () => {
    const [row] = await studio.database.rows<{ version: number }>(
      'select password_version as version from accounts where id = $1',
      [person.id],
    );
    const passwordHash = await hashPassword(next);
    const by = { kind: 'person', address: '127.0.0.1' } as const;
    await changePassword(
      studio.database,
      { accountId: person.id, passwordHash, version: row?.version ?? -1 },
      by,
    );
  };
  await signInByBrowser(studio, person);
  // The password was right, but the browser was not redirected yet.
  const browser = createBrowser(studio.url);
  const { address } = await browser.open(authorizationRequest(studio).address);
  const sent = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: browser.cookies.sentTo(address), 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ email: person.email, password }),
  });
  browser.cookies.take(sent.headers.getSetCookie(), address);
  await setNext();
  const shown = await browser.open(sent.headers.get('location') ?? '');
  assert.equal(shown.left, undefined, 'no code is given');
  assert.match(shown.text, /<h1>Sign in<\/h1>/);
  // The sign-in continues with the new password.
  const { left } = await browser.press('Sign in', { email: person.email, password: next });
  assert.notEqual(left?.searchParams.get('code') ?? undefined, undefined);
});

test('a password that the operator sets ends sessions in the same transaction, and says so', async () => {
  const person = await newPerson(studio);
  const { browser } = await signInByBrowser(studio, person);
  await setAccount(studio.database, person.email, { password: next });
  assert.equal(await isSignedIn(browser), false);
  const [entry] = await showAudit(studio.database, person.email);
  assert.deepEqual([entry?.action, entry?.actor, entry?.address], ['password.set', 'operator', null]);
});

test('a suspended account can change its password', async () => {
  const person = await newPerson(studio);
  await setAccount(studio.database, person.email, { suspended: true });
  const { status } = await change(createBrowser(studio.url), { email: person.email });
  assert.equal(status, 200);
});

test('under https the browser stays signed in with a cookie that is Secure, whatever the proxy says', async () => {
  await using secure = await startTestStudio({
    worker: false,
    config: { client: clientWithAddresses, publicUrl: 'https://studio.example.org' },
  });
  const { email } = await newPerson(secure);
  const browser = createBrowser(secure.url);
  const { pathname, search } = new URL(authorizationRequest(secure).address);
  const inside = (address: string) => `${secure.url}${new URL(address, secure.url).pathname}`;
  const hop = async (path: string, body?: URLSearchParams) => {
    const at = new URL(path, secure.url);
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: browser.cookies.sentTo(at), ...(body && { 'sec-fetch-site': 'same-origin' }) },
      ...(body && { method: 'POST', body }),
    });
    browser.cookies.take(response.headers.getSetCookie(), at);
    return { response, location: response.headers.get('location') ?? '' };
  };
  const { location: form } = await hop(pathname + search);
  const { location: resume } = await hop(form, new URLSearchParams({ email, password }));
  await hop(inside(resume));
  const { response } = await hop(page, new URLSearchParams({ email, current: password, password: next }));
  assert.equal(response.status, 200);
  const cookies = response.headers.getSetCookie();
  assert.ok(cookies.length >= 2, 'the cookie and its signature');
  for (const cookie of cookies) {
    assert.match(cookie, /^__Host-studio_443_session(\.sig)?=/);
    assert.match(cookie, /; expires=.*; secure; httponly; samesite=lax|; path=\/;/i);
    assert.match(cookie, /; secure/);
  }
});

test('the pages load nothing, run nothing and are framed by nobody', async () => {
  const { headers } = await createBrowser(studio.url).open(`${studio.url}${page}`);
  const policy = headers.get('content-security-policy') ?? '';
  assert.ok(policy.includes("default-src 'none'") && policy.includes("frame-ancestors 'none'"), policy);
  assert.ok(!policy.includes('script-src') && !policy.includes('unsafe'));
  assert.equal(headers.get('cache-control'), 'no-store');
  const missing = await createBrowser(studio.url).open(`${studio.url}/account/nothing`);
  assert.equal(missing.status, 404);
  assert.match(missing.text, /<h1>There is no such page<\/h1>/);
});
