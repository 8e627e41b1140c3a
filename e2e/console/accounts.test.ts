import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../harness/browser.ts';
import { createClient } from '../harness/client.ts';
import { type ConsoleWorld, sharedConsoleWorld, signIn, signInAtStudio } from './world.ts';

describe('somebody comes in for the first time, and again', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  before(async () => (world = await sharedConsoleWorld()));

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const inside = (page: Page) => page.getByRole('navigation', { name: 'Console' });
  const operator = (...words: string[]) => world.platform.operator(...words);
  /** Returns whether the studio signs this browser in without asking. */
  const isKnownToStudio = async (page: Page): Promise<boolean> => {
    await page.goto(`${world.url}/console/auth/sign-in`);
    await inside(page).or(heading(page, 'Sign in')).waitFor();
    return inside(page).isVisible();
  };

  test('an account that the operator makes has a password, told once, that signs in to the console', async () => {
    const email = 'ada@example.com';
    const made = await operator('account', 'create', '--email', email, '--tier', 'plus');
    const { password } = made;
    assert.equal(typeof password, 'string');
    assert.ok(String(password).length >= 16, String(password));
    const scopes = ['--scopes', 'read,generate', '--daily-budget', '200'];
    const { key } = await operator('key', 'create', '--email', email, '--name', 'website', ...scopes);
    const account = await createClient(world.url, String(key)).call('GET', '/v1/account');
    assert.equal(account.status, 200, account.text);
    const { page } = await world.visitor();
    await signIn(world, page, { email, password: String(password) }, '/console/keys');
    await page.getByRole('row').filter({ hasText: 'website' }).waitFor();
    for (const command of ['show', 'audit'])
      assert.ok(
        !JSON.stringify(await operator('account', command, '--email', email)).includes(String(password)),
      );
    const given = await operator(
      ...'account create --email grace@example.com --password'.split(' '),
      'my own',
    );
    assert.ok(!('password' in given), 'what the operator chose is not repeated');
    await page.context().close();
  });

  test('from "Create an account" in the console to being inside it are two screens, and one password', async () => {
    const { page, errors } = await world.visitor();
    await page.goto(`${world.url}/console/keys`);
    const screens: string[] = [];
    page.on('domcontentloaded', () => screens.push(new URL(page.url()).origin));
    await page.getByRole('link', { name: 'Create an account' }).click();
    await heading(page, 'Create an account').waitFor();
    assert.equal(await page.locator('input[type=password]').count(), 1);
    // The studio's pages use the console's typeface, which their policy must allow.
    const loaded = 'document.fonts.ready.then((faces) => [...faces].map((face) => face.status))';
    assert.deepEqual(await page.evaluate(loaded), ['loaded']);
    await page.getByLabel('Name').fill('Lin');
    await page.getByLabel('E-mail address').fill('lin@example.com');
    await page.getByLabel('Password').fill('several words of mine');
    await button(page, 'Create account').click();
    await heading(page, 'API keys').waitFor();
    assert.equal(new URL(page.url()).pathname, '/console/keys');
    assert.deepEqual(screens, [world.studioUrl, world.url]);
    // The console learns from a 401 that nobody is signed in, so these are expected.
    assert.deepEqual(
      errors.filter((line) => !line.includes('status of 401')),
      [],
    );
    await page.context().close();
  });

  test('an address that has an account ends at the sign-in page, which knows no more than a wrong password', async () => {
    const who = await world.person();
    const { page } = await world.visitor();
    await page.goto(`${world.url}/console/sign-in`);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Somebody');
    await page.getByLabel('E-mail address').fill(who.email);
    await page.getByLabel('Password').fill('not their password');
    await button(page, 'Create account').click();
    await heading(page, 'Sign in').waitFor();
    await page.getByText('E-mail address or password is wrong.').waitFor();
    assert.equal(await page.getByLabel('E-mail address').inputValue(), who.email);
    await signInAtStudio(page, who);
    await inside(page).waitFor();
    await page.context().close();
  });

  test('a person changes their password from the account menu, and is back in the console', async () => {
    const who = await world.person();
    const [here, there] = [await world.visitor(), await world.visitor()];
    await signIn(world, there.page, who);
    const { page } = here;
    await signIn(world, page, who);
    await page.getByRole('button', { name: /Account menu of/ }).click();
    await page.getByRole('menuitem', { name: 'Change password' }).click();
    await heading(page, 'Change your password').waitFor();
    assert.equal(await page.getByLabel('E-mail address').inputValue(), who.email);
    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password').fill('a new password of mine');
    await button(page, 'Change password').click();
    await page.getByText('E-mail address or current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(who.password);
    await page.getByLabel('New password').fill('a new password of mine');
    await button(page, 'Change password').click();
    await heading(page, 'Your password is changed').waitFor();
    await page.getByRole('link', { name: 'Back to Renderkit' }).click();
    await inside(page).waitFor();
    assert.equal(await isKnownToStudio(page), true, 'the browser that changed it goes on');
    assert.equal(await isKnownToStudio(there.page), false, 'the other has to sign in again');
    await signInAtStudio(there.page, { ...who, password: 'a new password of mine' });
    await inside(there.page).waitFor();
    assert.deepEqual(
      here.errors.filter((line) => !line.includes('status of 422')),
      [],
    );
    await page.context().close();
    await there.page.context().close();
  });

  test('a tab does nothing in the name of somebody who signed in in another one, and becomes theirs', async () => {
    const [ada, grace] = [await world.person(), await world.person()];
    const { page } = await world.visitor();
    await signIn(world, page, ada, '/console/playground?model=sketch-1');
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.fill('what only Ada may read');
    await page.getByText(/^\d+ credits? for/).waitFor();
    const other = await page.context().newPage();
    await page.context().clearCookies();
    await signIn(world, other, grace);
    const refused = page.waitForResponse('**/v1/images/generations');
    await button(page, 'Run').click();
    assert.equal((await refused).status(), 403);
    await page.getByText(`Signed in as ${grace.email}`).waitFor();
    await prompt.waitFor();
    assert.equal(await prompt.inputValue(), '');
    const made = await world.platform.databases.service.rows(
      `select g.id from generations g join accounts a on a.id = g.account_id where a.email = any ($1)`,
      [[ada.email, grace.email]],
    );
    assert.deepEqual(made, []);
    // Ada's text stays stored for Ada only.
    const kept = await page.evaluate<string[]>(
      'Object.entries(localStorage).filter(([, value]) => value.includes("only Ada")).map(([key]) => key)',
    );
    assert.equal(kept.length, 1);
    await page.context().close();
  });

  test('the page of the connection leads there too', async () => {
    const { page } = await world.visitor();
    await signIn(world, page, await world.person(), '/console/connection');
    await page.getByRole('link', { name: 'Change password' }).click();
    await heading(page, 'Change your password').waitFor();
    await page.context().close();
  });

  test('who lost their password is let in by a link of the operator, with the address filled in', async () => {
    const who = await world.person();
    const { page, errors } = await world.visitor();
    await signIn(world, page, who);
    const { link, expires_at } = await operator('account', 'reset-password', '--email', who.email);
    assert.ok(Math.abs(Date.parse(String(expires_at)) - Date.now() - 3_600_000) < 60_000, String(expires_at));
    await page.goto(String(link));
    await page.getByLabel('New password').fill('a new password of mine');
    await button(page, 'Set password').click();
    await heading(page, 'Your password is set').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in').waitFor();
    assert.equal(await page.getByLabel('E-mail address').inputValue(), who.email);
    await signInAtStudio(page, { ...who, password: 'a new password of mine' });
    await inside(page).waitFor();
    await page.goto(String(link));
    await heading(page, 'This link is no longer good').waitFor();
    assert.deepEqual(
      errors.filter((line) => !line.includes('status of 410')),
      [],
    );
    await page.context().close();
  });
});
