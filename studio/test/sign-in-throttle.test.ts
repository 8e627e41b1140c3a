import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { createBrowser, type Shown } from './browser.ts';
import { authorizationRequest, clientWithAddresses, newPerson, password } from './code-flow.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(
  async () =>
    (studio = await startTestStudio({
      worker: false,
      config: { client: clientWithAddresses, trustProxy: ['127.0.0.1'] },
    })),
);
after(async () => studio[Symbol.asyncDispose]());

let addresses = 0;
const newAddress = () => `203.0.113.${++addresses}`;

async function trySignIn(email: string, word: string, address: string): Promise<Shown> {
  const browser = createBrowser(studio.url, { 'x-forwarded-for': address });
  await browser.open(authorizationRequest(studio).address);
  return browser.press('Sign in', { email, password: word });
}

/** Changes the stored counts, as if tries had been made earlier. */
async function countTries(column: 'attempts', value: number): Promise<void> {
  await studio.database.rows(`update sign_in_attempts set ${column} = $1`, [value]);
}

test('a wrong password and an unknown account are told alike', async () => {
  const { email } = await newPerson(studio);
  const alike = ({ status, text }: Shown, of: string) => ({
    status,
    text: text.replaceAll(of, '').replaceAll(/\/sign-in\/[\w-]+/g, ''),
  });
  const unknown = 'nobody@example.org';
  const wrong = alike(await trySignIn(email, 'a wrong password', newAddress()), email);
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /E-mail address or password is wrong\./);
  assert.deepEqual(alike(await trySignIn(unknown, 'a wrong password', newAddress()), unknown), wrong);
  await studio.connect({ email: 'no-password@example.org' });
  const without = alike(
    await trySignIn('no-password@example.org', '', newAddress()),
    'no-password@example.org',
  );
  assert.deepEqual(without, wrong);
});

for (const kind of ['an account', 'an address without an account'])
  test(`after ten wrong passwords for ${kind} from one address even the right one waits`, async (t) => {
    t.after(() => moveClock(studio.database, 0));
    const email = kind === 'an account' ? (await newPerson(studio)).email : 'nobody-here@example.org';
    const address = newAddress();
    for (let i = 0; i < 10; i++) assert.equal((await trySignIn(email, 'wrong', address)).status, 422);
    const refused = await trySignIn(email, password, address);
    assert.equal(refused.status, 429);
    assert.match(refused.text, /Too many tries\. Try again in 15 minutes\./);
    assert.ok(Number(refused.headers.get('retry-after')) > 14 * 60);
    // A different spelling is the same account, and another address can still sign in.
    assert.equal((await trySignIn(` ${email.toUpperCase()}`, password, address)).status, 429);
    assert.equal((await trySignIn(email, 'wrong', newAddress())).status, 422);
    await moveClock(studio.database, 15 * 60 + 1);
    const status = kind === 'an account' ? 200 : 422;
    assert.equal((await trySignIn(email, password, address)).status, status);
  });

test('an account has no other spelling under which it is counted anew', async () => {
  const { email } = await studio.connect({ email: 'kin@example.org', password });
  const address = newAddress();
  // PostgreSQL lowers the kelvin sign to a k and the dotted capital I to an i; JavaScript turns the latter into two
  // characters.
  const spellings = ['k\u0130n@example.org', '\u212ain@example.org', 'KIN@EXAMPLE.ORG', email];
  for (let i = 0; i < 12; i++) await trySignIn(spellings[i % 4] ?? '', 'wrong', address);
  assert.equal((await trySignIn(email, password, address)).status, 429);
});

test('parallel guesses are counted before they are looked at', async () => {
  const { email } = await newPerson(studio);
  const address = newAddress();
  const tries = await Promise.all(Array.from({ length: 30 }, () => trySignIn(email, 'wrong', address)));
  const statuses = Object.groupBy(tries, ({ status }) => status);
  assert.deepEqual([statuses[422]?.length, statuses[429]?.length], [10, 20]);
});

test('an account guessed at from many addresses waits everywhere, and an address that guesses at many accounts too', async () => {
  const [guessed, other] = [await newPerson(studio), await newPerson(studio)];
  await studio.database.rows('delete from sign_in_attempts');
  await trySignIn(guessed.email, 'wrong', newAddress());
  await countTries('attempts', 50);
  const refused = await trySignIn(guessed.email, password, newAddress());
  assert.equal(refused.status, 429);
  assert.equal((await trySignIn(other.email, password, newAddress())).status, 200);

  await studio.database.rows('delete from sign_in_attempts');
  const address = newAddress();
  await trySignIn(guessed.email, 'wrong', address);
  await countTries('attempts', 100);
  const counted = () => studio.database.rows('select 1 from sign_in_attempts');
  const kept = (await counted()).length;
  assert.equal((await trySignIn(other.email, password, address)).status, 429);
  assert.equal((await counted()).length, kept);
  assert.equal((await trySignIn(other.email, password, newAddress())).status, 200);
});

test('one address that goes on guessing after it was refused keeps nobody else out of the account', async () => {
  const { email } = await newPerson(studio);
  const address = newAddress();
  const statuses = new Set<number>();
  for (let i = 0; i < 51; i++) statuses.add((await trySignIn(email, 'wrong', address)).status);
  assert.deepEqual([...statuses], [422, 429]);
  assert.equal((await trySignIn(email, password, newAddress())).status, 200);
});

test('signing in takes the own try back; only failures count', async () => {
  const { email } = await newPerson(studio);
  const address = newAddress();
  for (let i = 0; i < 12; i++) assert.equal((await trySignIn(email, password, address)).status, 200);
});

test('who calls is who the trusted proxy says, not what the caller claims', async () => {
  const { email } = await newPerson(studio);
  for (let i = 0; i < 10; i++) await trySignIn(email, 'wrong', `10.9.8.${i}, 198.51.100.77`);
  assert.equal((await trySignIn(email, password, '10.9.8.200, 198.51.100.77')).status, 429);
});

test("the counts hold nobody's address, and are cleaned away when they have ended", async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const { email } = await newPerson(studio);
  await trySignIn(email, 'wrong', newAddress());
  const rows = () => studio.database.rows<{ subject: string }>('select subject from sign_in_attempts');
  assert.ok((await rows()).length > 0);
  for (const { subject } of await rows()) assert.match(subject, /^[A-Za-z0-9+/]{43}=$/);
  await moveClock(studio.database, 15 * 60 + 1);
  await studio.clean();
  assert.deepEqual(await rows(), []);
});

for (const path of ['/oidc/auth', '/oidc/Auth', '/oidc/auth/'])
  test(`sign-ins that nobody finishes are limited by address: ${path}`, async () => {
    const address = authorizationRequest(studio).address.replace('/oidc/auth', path);
    const browser = createBrowser(studio.url, { 'x-forwarded-for': newAddress() });
    await studio.database.rows('delete from sign_in_attempts');
    assert.equal((await browser.open(address)).status, 200);
    await countTries('attempts', 600);
    const page = await browser.open(address);
    assert.equal(page.status, 429);
    assert.match(page.text, /<h1>Too many tries from here<\/h1>/);
    const other = createBrowser(studio.url, { 'x-forwarded-for': newAddress() });
    assert.equal((await other.open(address)).status, 200);
  });
