// Makes the pictures of the console for the documents: `node e2e/console/pictures.ts <directory>`, where the directory
// is docs/pictures. record.ts makes the animated one.

import path from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { walkAdministration } from './administration-views.ts';
import { openView, pageViewsOf, stopMotion } from './page-views.ts';
import { fillAccount } from './sample-account.ts';
import { openConsoleWorld, signIn } from './world.ts';

const size = { width: 1_280, height: 800 };
const quality = 82;
/** The file of each view, by its name. The picture of the overview shows the whole page. */
const views = {
  overview: { file: 'console-overview.webp', whole: true },
  'playground-result': { file: 'console-playground.webp', whole: false },
  library: { file: 'console-library.webp', whole: false },
};
/** The file of each step of an administrator, by its name. */
const steps: Readonly<Record<string, string>> = {
  backends: 'console-backends.webp',
  model: 'console-import.webp',
};

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error('Where should the pictures go? node e2e/console/pictures.ts docs/pictures');
  process.exitCode = 2;
} else await takePictures(directory);

async function takePictures(to: string): Promise<void> {
  await using world = await openConsoleWorld({ ownPostgres: true, workers: 1 });
  const { page } = await world.visitor({ viewport: size, colorScheme: 'light' });
  const who = await world.person({ email: 'mara@harbour.example', name: 'Mara Lindqvist' });
  await signIn(world, page, who, '/console/keys');
  const account = await fillAccount(world, page, { full: true });
  const shown = pageViewsOf(account);
  for (const [name, { file, whole }] of Object.entries(views)) {
    const view = shown.find((one) => one.name === name);
    if (view === undefined) throw new Error(`No view is called ${name}.`);
    await openView(page, world.url, view);
    await take(page, path.join(to, file), whole);
  }
  await walkAdministration(world, page, who, async (name) => {
    const file = steps[name];
    if (file !== undefined) await take(page, path.join(to, file), false);
  });
}

async function take(page: Page, file: string, whole: boolean): Promise<void> {
  await page.evaluate(stopMotion);
  // The window gets the page's height; otherwise elements that stick to the window would be in the middle of the
  // picture.
  const height = whole ? Number(await page.evaluate('document.documentElement.scrollHeight')) : size.height;
  await page.setViewportSize({ ...size, height });
  await sharp(await page.screenshot())
    .webp({ quality })
    .toFile(file);
}
