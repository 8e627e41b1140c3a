import type { Page } from 'playwright-core';
import type { ConsoleWorld } from './world.ts';

/**
 * Goes through the pages of the studio as a new person, who creates an account, changes its password, loses it and
 * signs out. Calls `at` on each page with a name for it.
 */
export async function walkStudioPages(
  world: ConsoleWorld,
  page: Page,
  at: (name: string) => Promise<void>,
): Promise<void> {
  const signIn = `${world.url}/console/auth/sign-in`;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const inside = () => page.waitForURL(/\/console(?:$|\/(?!auth))/);
  const email = 'lin@harbour.example';
  const password = 'several words of mine';

  await page.goto(world.studioUrl);
  await at('front');
  await page.goto(signIn);
  await heading('Sign in');
  await at('sign-in');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill('wrong');
  await press('Sign in');
  await page.getByRole('alert').waitFor();
  await at('sign-in-wrong');

  await page.getByRole('link', { name: 'Create an account' }).click();
  await heading('Create an account');
  await at('sign-up');
  await page.getByLabel('Name').fill('Lin');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill('short');
  await press('Create account');
  await page.locator('#password-error').waitFor();
  await at('sign-up-wrong');
  await page.getByLabel('Password').fill(password);
  await press('Create account');
  await inside();

  await page.goto(`${world.studioUrl}/account/password`);
  await heading('Change your password');
  await at('change-password');
  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password').fill('other words of mine');
  await press('Change password');
  await page.getByRole('alert').waitFor();
  await at('change-password-wrong');
  await page.getByLabel('Current password').fill(password);
  await page.getByLabel('New password').fill('other words of mine');
  await press('Change password');
  await heading('Your password is changed');
  await at('password-changed');

  const { link } = await world.platform.operator('account', 'reset-password', '--email', email);
  await page.goto(String(link));
  await heading('Choose a new password');
  await at('reset-password');
  await page.getByLabel('New password').fill(password);
  await press('Set password');
  await heading('Your password is set');
  await at('password-reset');
  await page.goto(String(link));
  await heading('This link is no longer good');
  await at('link-gone');

  const other = await world.person();
  await page.goto(signIn);
  await page.getByLabel('E-mail address').fill(other.email);
  await page.getByLabel('Password').fill(other.password);
  await press('Sign in');
  await heading(/^Allow /);
  await at('consent');
  await press('Allow');
  await inside();
  await page.goto(`${world.studioUrl}/oidc/session/end`);
  await heading('Sign out of the studio?');
  await at('sign-out');
  await press('Sign out');
  await heading('You are signed out');
  await at('signed-out');
  await page.context().clearCookies();
}
