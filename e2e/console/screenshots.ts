// Takes a screenshot of every page with contents: `node e2e/console/screenshots.ts <directory> [name…]`. Light and
// dark, wide and narrow, the whole page and the visible part. With names, takes only pages whose names begin with one
// of them: `studio`, `administration` or a view. People look at them; nothing is compared.

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { walkAdministration } from './administration-views.ts';
import { fillAccount } from './sample-account.ts';
import {
  creatingViewsOf,
  signInViews,
  fullStorageViews,
  openView,
  type PageView,
  pageViewsOf,
  stopMotion,
} from './page-views.ts';
import { walkStudioPages } from './studio-pages.ts';
import { type ConsoleWorld, openConsoleWorld, signIn } from './world.ts';

const windows = {
  '1440': { width: 1_440, height: 900 },
  '2560': { width: 2_560, height: 1_440 },
  '390': { width: 390, height: 844 },
};
/** Longer pages are cut at this height, in pixels. */
const maxHeight = 2_400;

const [directory, ...names] = process.argv.slice(2);
if (directory === undefined) {
  console.error('Where should the screenshots go? node e2e/console/screenshots.ts <directory> [name…]');
  process.exitCode = 2;
} else {
  await mkdir(directory, { recursive: true });
  await using world = await openConsoleWorld({ ownPostgres: true, workers: 1 });
  await takeAll(world, (name) => path.join(directory, name), names);
}

async function takeAll(world: ConsoleWorld, file: (name: string) => string, only: string[]): Promise<void> {
  const { page } = await world.visitor({ viewport: windows['1440'] });
  const who = await world.person({ email: 'mara@harbour.example', name: 'Mara Lindqvist' });
  const asked = (name: string) => only.length === 0 || only.some((one) => name.startsWith(one));
  const wanted = ({ name }: PageView) => asked(name);
  for (const view of signInViews.filter(wanted)) await take(world, page, view, file);
  if (asked('studio')) await takeStudio(world, page, file);
  // Does not begin on the overview: the browser would cache its past days, which are filled only now.
  await signIn(world, page, who, '/console/keys');
  const account = await fillAccount(world, page, { full: true });
  const views = [...pageViewsOf(account), ...creatingViewsOf(account)].filter(wanted);
  for (const view of [...views.filter(({ waits }) => waits), ...views.filter(({ waits }) => !waits)])
    await take(world, page, view, file);
  if (asked('administration'))
    await walkAdministration(world, page, who, (name) => takeAsIs(page, `administration-${name}`, file));
  await world.platform.operator('account', 'set', '--email', who.email, '--storage-mb', '1');
  for (const view of fullStorageViews.filter(wanted)) await take(world, page, view, file);
  await world.platform.operator('account', 'end-session', '--email', who.email);
  for (const view of [
    { name: 'overview-expired', path: '', shows: 'See the connection' },
    { name: 'connection-expired', path: '/connection', shows: 'Ended' },
  ].filter(wanted))
    await take(world, page, view, file);
}

async function take(
  world: ConsoleWorld,
  page: Page,
  view: PageView,
  file: (name: string) => string,
): Promise<void> {
  for (const [width, size] of Object.entries(windows)) {
    await page.setViewportSize(size);
    try {
      await openView(page, world.url, view);
    } catch (error) {
      console.error(`${view.name} (${width}): ${(error as Error).message.split('\n')[0]}`);
    }
    await takeBoth(page, `${view.name}-${width}`, file);
  }
}

/** Takes the page in both color schemes: the visible part, and the whole page unless a dialog covers it. */
async function takeBoth(page: Page, name: string, file: (name: string) => string): Promise<void> {
  const { width, height } = page.viewportSize() ?? windows['1440'];
  await page.evaluate(stopMotion);
  const covered = await page.getByRole('dialog').isVisible();
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
  const all = covered ? height : Math.min(maxHeight, Math.max(height, whole));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [suffix, shown] of all > height
      ? [['', all] as const, ['-window', height] as const]
      : [['', all] as const]) {
      await page.setViewportSize({ width, height: shown });
      await page.waitForTimeout(250);
      await page.screenshot({ path: file(`${name}-${colorScheme}${suffix}.png`) });
    }
  }
}

/** Takes the page in its present state, without loading it again. */
async function takeAsIs(page: Page, name: string, file: (name: string) => string): Promise<void> {
  for (const [width, size] of Object.entries(windows)) {
    await page.setViewportSize(size);
    await takeBoth(page, `${name}-${width}`, file);
  }
  await page.setViewportSize(windows['1440']);
}

/** Takes the pages of the studio, and the console of a new person. */
async function takeStudio(world: ConsoleWorld, page: Page, file: (name: string) => string): Promise<void> {
  const both = (name: string) => takeAsIs(page, name, file);
  await walkStudioPages(world, page, (name) => both(`studio-${name}`));
  await signIn(world, page, await world.person());
  await page.getByText('can be spent now').waitFor();
  await both('overview-empty');
  await page.context().clearCookies();
}
