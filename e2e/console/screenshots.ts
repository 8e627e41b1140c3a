// Takes a picture of every page with something on it: `node e2e/console/screenshots.ts <directory> [name…]`. Light and
// dark, wide and narrow. For people to look at; nothing is compared.

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { fillAccount } from './sample-account.ts';
import { entrances, fullSights, show, type Sight, sightsOf, stillness } from './page-views.ts';
import { throughStudio } from './studio-pages.ts';
import { type ConsoleWorld, openConsoleWorld, signIn } from './world.ts';

const widths = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } };
/** Longer pages are cut there, in pixels. */
const tallest = 2_400;

const [directory, ...names] = process.argv.slice(2);
if (directory === undefined) {
  console.error('Where should the pictures go? node e2e/console/screenshots.ts <directory> [name…]');
  process.exitCode = 2;
} else {
  await mkdir(directory, { recursive: true });
  await using world = await openConsoleWorld({ ownPostgres: true, workers: 1 });
  await takeAll(world, (name) => path.join(directory, name), names);
}

async function takeAll(world: ConsoleWorld, file: (name: string) => string, only: string[]): Promise<void> {
  const { page } = await world.visitor({ viewport: widths.wide });
  const who = await world.person({ email: 'mara@harbour.example', name: 'Mara Lindqvist' });
  const wanted = ({ name }: Sight) => only.length === 0 || only.some((one) => name.startsWith(one));
  for (const sight of entrances.filter(wanted)) await take(world, page, sight, file);
  if (only.length === 0 || only.some((name) => name.startsWith('studio')))
    await takeStudio(world, page, file);
  // The overview remembers past days, and they are yet to be filled.
  await signIn(world, page, who, '/console/keys');
  const content = await fillAccount(world, page, { much: true });
  for (const sight of sightsOf(content).filter(wanted)) await take(world, page, sight, file);
  await world.platform.operator('account', 'set', '--email', who.email, '--storage-mb', '1');
  for (const sight of fullSights.filter(wanted)) await take(world, page, sight, file);
  await world.platform.operator('account', 'end-session', '--email', who.email);
  for (const sight of [
    { name: 'overview-expired', path: '', shows: 'See the connection' },
    { name: 'connection-expired', path: '/connection', shows: 'Ended' },
  ].filter(wanted))
    await take(world, page, sight, file);
}

async function take(
  world: ConsoleWorld,
  page: Page,
  sight: Sight,
  file: (name: string) => string,
): Promise<void> {
  for (const width of ['wide', 'narrow'] as const) {
    await page.setViewportSize(widths[width]);
    try {
      await show(page, world.url, sight);
    } catch (error) {
      console.error(`${sight.name} (${width}): ${(error as Error).message.split('\n')[0]}`);
    }
    await takeBoth(page, `${sight.name}-${width}`, file);
  }
}

/** As it stands, in both schemes: what the window shows, and all of it, unless a dialog lies over it. */
async function takeBoth(page: Page, name: string, file: (name: string) => string): Promise<void> {
  const { width, height } = page.viewportSize() ?? widths.wide;
  await page.evaluate(stillness);
  const covered = await page.getByRole('dialog').isVisible();
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
  const all = covered ? height : Math.min(tallest, Math.max(height, whole));
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

/** The pages of the studio, and the console of somebody new. */
async function takeStudio(world: ConsoleWorld, page: Page, file: (name: string) => string): Promise<void> {
  const both = async (name: string) => {
    for (const width of ['wide', 'narrow'] as const) {
      await page.setViewportSize(widths[width]);
      await takeBoth(page, `${name}-${width}`, file);
    }
  };
  await throughStudio(world, page, (name) => both(`studio-${name}`));
  await signIn(world, page, await world.person());
  await page.getByText('can be spent now').waitFor();
  await both('overview-empty');
  await page.context().clearCookies();
}
