import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../harness/browser.ts';
import { createIssueFinder, widths } from './page-issues.ts';
import { leave } from './leave.ts';
import { fillAccount } from './sample-account.ts';
import {
  signInViews,
  fullStorageViews,
  untilSettled,
  goToView,
  openView,
  type PageView,
  pageViewsOf,
} from './page-views.ts';
import { walkStudioPages } from './studio-pages.ts';
import { type ConsoleWorld, type Person, sharedConsoleWorld, signIn, type Visitor } from './world.ts';

/** The most bytes of scripts that a first visit may load, as transferred. */
const scriptBudgetBytes = 190_000;

describe('every page of the console', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let who: Person;
  let visitor: Visitor;
  let page: Page;
  let views: PageView[];
  before(async () => {
    world = await sharedConsoleWorld();
    who = await world.person();
    visitor = await world.visitor({ viewport: widths.wide });
    page = visitor.page;
  });
  after(() => leave(world, who, page));

  // By WCAG 2.2 AA and further rules: `page-issues.ts`.
  const find = createIssueFinder();
  const issuesOf = (name: string, on: Page = page) => find(on, name);

  test('needs little to begin with: scripts of 190 kB, and nobody but the service', async () => {
    const first = await world.visitor();
    const sizes: Promise<number>[] = [];
    first.page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script')
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await signIn(world, first.page, who);
    await first.page.getByText('can be spent now').waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 50_000 && bytes <= scriptBudgetBytes, `${bytes} bytes of scripts`);
    assert.deepEqual(
      first.asked.filter(
        (url) =>
          !url.startsWith(`${world.url}/`) &&
          !url.startsWith(`${world.studioUrl}/`) &&
          !/^(data|blob):/.test(url),
      ),
      [],
    );
    await first.page.context().close();
  });

  test('can be read and used by everybody, before somebody has signed in', async () => {
    const issues: string[] = [];
    for (const view of signInViews) {
      await openView(page, world.url, view);
      issues.push(...(await issuesOf(view.name)));
    }
    assert.deepEqual(issues, []);
  });

  test('leads to pages of the studio that can be read and used by everybody too', async () => {
    const issues: string[] = [];
    const own = await world.visitor({ viewport: widths.wide });
    await walkStudioPages(world, own.page, async (name) => {
      issues.push(...(await issuesOf(`studio ${name}`, own.page)));
    });
    assert.deepEqual(issues, []);
    assert.deepEqual(
      own.errors.filter((line) => !/status of 4(10|22)/.test(line)),
      [],
      'nothing runs there, and nothing tries to',
    );
    await own.page.context().close();
  });

  test('can be read and used by everybody, wide and narrow, light and dark', async () => {
    await signIn(world, page, who, '/console/keys');
    views = pageViewsOf(await fillAccount(world, page, { full: false }));
    const issues: string[] = [];
    for (const [i, view] of views.entries()) {
      if (i === 0 || view.name === 'not-found') await openView(page, world.url, view);
      else await goToView(page, view);
      issues.push(...(await issuesOf(view.name)));
    }
    assert.deepEqual(issues, []);
  });

  test('can be read and used by everybody where the account may store no more', async () => {
    await world.platform.operator('account', 'set', '--email', who.email, '--storage-mb', '0');
    const issues: string[] = [];
    for (const [i, view] of fullStorageViews.entries()) {
      // The first view is loaded, so that data from before the limit are forgotten.
      if (i === 0) await openView(page, world.url, view);
      else await goToView(page, view);
      issues.push(...(await issuesOf(view.name)));
    }
    await world.platform.operator('account', 'set', '--email', who.email, '--storage-mb', 'plan');
    assert.deepEqual(issues, []);
  });

  test('stands still while it loads, for somebody who asked for less motion', async () => {
    const held = Promise.withResolvers<undefined>();
    await page.route('**/console/api/keys*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${world.url}/console/keys`);
    await page.locator('[aria-busy="true"] .mantine-Skeleton-root').first().waitFor();
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
    held.resolve(undefined);
    await page.getByText('Production website').waitFor();
    await page.unroute('**/console/api/keys*');
  });

  test('is left by its heading: the focus goes there, and is seen wherever it is', async () => {
    await page.goto(`${world.url}/console`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    for (const name of ['API keys', 'Webhooks', 'Library', 'Storage', 'Playground', 'Audit log']) {
      await page
        .getByRole('navigation', { name: 'Console' })
        .getByRole('link', { name, exact: true })
        .focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await untilSettled(page);
      assert.equal(await page.evaluate('document.activeElement.textContent'), name);
      const unseen: string[] = [];
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate<string | null>(focusUnseen);
        if (at !== null) unseen.push(`${name}: ${at}`);
      }
      assert.deepEqual(unseen, []);
    }
  });

  test('is left for good by the keyboard alone', async () => {
    await page.goto(`${world.url}/console`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await press(page, 'Account menu', 'Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await press(page, 'Sign out', 'ArrowDown', 'Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${world.studioUrl}/**`);
    await press(page, 'Sign out', 'Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'You are signed out' }).waitFor();
  });
});

/**
 * Names the focused element if neither it nor its surroundings show the focus; null: the focus is visible, or is on the
 * page itself.
 */
const focusUnseen = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const shows = (one) => {
    if (one === null) return false;
    const style = getComputedStyle(one);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  };
  const around = [element, element.parentElement, element.nextElementSibling, element.closest('label')];
  if (around.some(shows)) return null;
  // Fields show it by the colour of their border.
  if (element.matches('input, textarea')) return null;
  return element.outerHTML.slice(0, 120);
})()`;

/** Presses keys until the focused element has this text. */
async function press(page: Page, words: string, ...keys: string[]): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const text = await page.evaluate<string>('document.activeElement.textContent');
    if (text.includes(words) && text.length < words.length + 60) return;
    await page.keyboard.press(keys[i % keys.length] ?? 'Tab');
  }
  assert.fail(`the keyboard does not lead to ${words}`);
}
