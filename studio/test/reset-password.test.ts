import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { createResetLink, deleteAccount, setAccount, showAudit } from '@renderkit/studio/operator.ts';
import { createBrowser, type Shown } from './browser.ts';
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
  async () => (studio = await startTestStudio({ worker: false, config: { client: clientWithAddresses } })),
);
after(async () => studio[Symbol.asyncDispose]());

const next = 'a new password of mine';
const makeLink = ({ email }: { email: string }) => createResetLink(studio.database, email, studio.url);
const gone = /<h1>This link is no longer good<\/h1>/;

const useLink = async (link: string, word = next): Promise<Shown> => {
  const browser = createBrowser(studio.url);
  await browser.open(link);
  return browser.press('Set password', { password: word });
};
/** Returns whether the sign-in page accepts this password. */
const opens = async ({ email }: { email: string }, word: string): Promise<boolean> => {
  const browser = createBrowser(studio.url);
  await browser.open(authorizationRequest(studio).address);
  const { status } = await browser.press('Sign in', { email, password: word });
  assert.ok([200, 303, 422].includes(status), `${status}`);
  return status !== 422;
};

test('a link sets a new password, ends every session and leads to sign in, with the address filled in', async () => {
  const person = await newPerson(studio);
  const { browser, body } = await signInByBrowser(studio, person);
  const { link, expires_at } = await makeLink(person);
  assert.match(link, new RegExp(`^${studio.url}/account/reset-password\\?token=[\\w-]{43}$`));
  const [row] = await studio.database.rows<{ seconds: number }>(
    'select extract(epoch from $1::timestamptz - clock())::integer as seconds',
    [expires_at],
  );
  assert.ok(Math.abs((row?.seconds ?? 0) - 3600) <= 30, expires_at);

  const form = await browser.open(link);
  assert.match(form.text, /<h1>Choose a new password<\/h1>/);
  assert.ok(form.text.includes(`value="${person.email}"`));
  const done = await browser.press('Set password', { password: next });
  assert.match(done.text, /<h1>Your password is set<\/h1>/);
  const signInUrl = `${clientWithAddresses.signInUrl}?login_hint=${encodeURIComponent(person.email)}`;
  assert.ok(done.text.includes(`href="${signInUrl}">Sign in</a>`), done.text);
  const signIn = await browser.open(authorizationRequest(studio, { login_hint: person.email }).address);
  assert.match(signIn.text, /<h1>Sign in<\/h1>/, 'this browser too is signed in no more');
  assert.ok(signIn.text.includes(`value="${person.email}"`));
  assert.notEqual((await browser.press('Sign in', { email: person.email, password: next })).left, undefined);
  assert.equal(await opens(person, password), false);
  assert.notEqual((await refresh(studio.url, body.refresh_token ?? '')).accessToken, '');
  assert.deepEqual(
    (await showAudit(studio.database, person.email)).map(({ action, actor }) => [action, actor]),
    [
      ['password.reset', 'link'],
      ['reset_link.created', 'operator'],
      ['account.created', 'operator'],
    ],
  );
});

test('a link serves once; to look at it, or to send it something wrong, uses nothing up', async () => {
  const person = await newPerson(studio);
  const { link } = await makeLink(person);
  await createBrowser(studio.url).open(link);
  for (const word of ['short', person.email]) {
    const shown = await useLink(link, word);
    assert.equal(shown.status, 422);
    assert.match(shown.text, /id="password-error"/);
  }
  assert.equal((await useLink(link)).status, 200);
  const again = await createBrowser(studio.url).open(link);
  assert.deepEqual([again.status, gone.test(again.text)], [410, true]);
  assert.equal(await opens(person, next), true);
});

test('of many parallel uses exactly one wins', async () => {
  const person = await newPerson(studio);
  const { link } = await makeLink(person);
  const browsers = Array.from({ length: 12 }, () => createBrowser(studio.url));
  await Promise.all(browsers.map((browser) => browser.open(link)));
  const shown = await Promise.all(
    browsers.map((browser, i) => browser.press('Set password', { password: `password number ${i}` })),
  );
  const statuses = shown.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(statuses.filter((status) => status === 410).length, 11);
  assert.equal(await opens(person, `password number ${statuses.indexOf(200)}`), true);
  const resets = (await showAudit(studio.database, person.email)).filter(
    ({ action }) => action === 'password.reset',
  );
  assert.equal(resets.length, 1);
});

test('a link that is made while another is used neither waits for it for ever nor lets both live', async () => {
  for (let round = 0; round < 10; round++) {
    const person = await newPerson(studio);
    const older = await makeLink(person);
    const browser = createBrowser(studio.url);
    await browser.open(older.link);
    const [shown, newer] = await Promise.all([
      browser.press('Set password', { password: next }),
      makeLink(person),
    ]);
    assert.ok([200, 410].includes(shown.status), `${shown.status}`);
    assert.equal((await createBrowser(studio.url).open(older.link)).status, 410);
    const rows = await studio.database.rows('select 1 from password_resets where account_id = $1', [
      person.id,
    ]);
    const usable = (await createBrowser(studio.url).open(newer.link)).status === 200;
    assert.equal(rows.length, usable ? 1 : 0);
  }
});

test('a newer link, a new password, an hour and the end of the account each end a link', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const ends: ((person: Person) => Promise<unknown>)[] = [
    makeLink,
    ({ email }) => setAccount(studio.database, email, { password: 'set by the operator' }),
    async ({ email }) => {
      const browser = createBrowser(studio.url);
      await browser.open(`${studio.url}/account/password`);
      await browser.press('Change password', { email, current: password, password: next });
    },
    ({ email }) => deleteAccount(studio.database, email),
    () => moveClock(studio.database, 60 * 60 + 1),
  ];
  for (const [i, end] of ends.entries()) {
    const person = await newPerson(studio);
    const { link } = await makeLink(person);
    const browser = createBrowser(studio.url);
    assert.equal((await browser.open(link)).status, 200);
    await end(person);
    const sent = await browser.press('Set password', { password: 'not to be set' });
    assert.deepEqual([sent.status, gone.test(sent.text)], [410, true], `${i}`);
  }
});

test('a link is stored by its hash alone, and goes when its hour is over', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const person = await newPerson(studio);
  const { link } = await makeLink(person);
  const token = new URL(link).searchParams.get('token') ?? '';
  const rows = () =>
    studio.database.rows<{ row: string }>('select password_resets::text as row from password_resets');
  assert.ok((await rows()).some(({ row }) => row.includes(person.id)));
  assert.ok(!(await rows()).some(({ row }) => row.includes(token)));
  await moveClock(studio.database, 60 * 60 + 1);
  await studio.clean();
  assert.deepEqual(await rows(), []);
});

test('what is no link, or not sent from the page, opens nothing', async () => {
  const { link } = await makeLink(await newPerson(studio));
  const token = new URL(link).searchParams.get('token') ?? '';
  for (const wrong of ['', 'x', token.slice(1), `${token}x`, token.toLowerCase(), '%00', 'a'.repeat(5_000)]) {
    const shown = await createBrowser(studio.url).open(`${studio.url}/account/reset-password?token=${wrong}`);
    assert.equal(shown.status, 410, wrong.slice(0, 50));
  }
  const forged = await createBrowser(studio.url).open(`${studio.url}/account/reset-password`, {
    method: 'POST',
    body: new URLSearchParams({ token, password: next }),
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  assert.equal(forged.status, 403);
  assert.equal((await useLink(link)).status, 200);
});

test('an account without a password gets one, and a suspended one can get in to see that it is', async () => {
  const { email } = await studio.connect({ email: 'keys-only@example.org' });
  await useLink((await makeLink({ email })).link);
  assert.equal(await opens({ email }, next), true);
  const suspended = await newPerson(studio);
  await setAccount(studio.database, suspended.email, { suspended: true });
  assert.equal((await useLink((await makeLink(suspended)).link)).status, 200);
  assert.equal(await opens(suspended, next), true);
});

test('an account that does not exist has no link', async () => {
  await assert.rejects(makeLink({ email: 'nobody@example.org' }), /There is no account/);
});
