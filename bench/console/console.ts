import { noBrowser, openBrowser } from '@renderkit/e2e/harness/browser.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { findAccountByEmail } from '@renderkit/service/operator.ts';
import { buildConsole } from '@renderkit/stack/build-console.ts';
import { createAccount } from '@renderkit/studio/operator.ts';
import type { Page } from 'playwright-core';
import type { Bench, Result } from '../benchmark.ts';
import { type Platform, startPlatform } from '../platform.ts';
import { boundResult, milliseconds } from '../present.ts';
import { insertSucceeded } from '../read/rows.ts';
import { median } from '../statistics.ts';
import { listScripts, sizeOf } from './first-load.ts';
import { clickLink, linksOf } from './navigate.ts';

const generations = 200;
const person = { email: 'visitor@example.org', password: 'correct horse battery' };
const goals = { scriptKilobytes: 200, navigationMs: 100 };

/** Measures the size of the console's scripts on the first load, and how soon a page appears. */
export async function consolePages(bench: Bench): Promise<Result[]> {
  await buildConsole({ environment: process.env });
  await using platform = await startPlatform(bench, { worker: false });
  if (noBrowser !== false) {
    bench.say(`  navigation is skipped: ${noBrowser}`);
    return [await scriptRow(await listScripts(`${platform.serviceUrl}/console`))];
  }
  await createAccount(platform.studioDatabase, { ...person, tier: 'pro' });
  await using browser = await openBrowser();
  const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } });
  await signIn(platform, page);
  const scripts = await scriptsOfFirstLoad(platform, page);
  return [await scriptRow(scripts), await measureNavigation(bench, page)];
}

async function signIn(platform: Platform, page: Page): Promise<void> {
  await page.goto(`${platform.serviceUrl}/console/auth/sign-in?return_to=/console`);
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  const navigation = page.getByRole('navigation', { name: 'Console' });
  await allow.or(navigation).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  await navigation.waitFor();
  const account = (await findAccountByEmail(platform.serviceDatabase, person.email))?.id ?? '';
  await insertSucceeded(
    platform.serviceDatabase,
    Array.from({ length: generations }, () => ({ id: newId('gen_'), account })),
  );
}

/** Returns the addresses of the scripts that the browser requests until the overview is complete. */
async function scriptsOfFirstLoad(platform: Platform, page: Page): Promise<string[]> {
  const scripts = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(request.url());
  });
  await page.goto(`${platform.serviceUrl}/console`, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  page.removeAllListeners('request');
  return [...scripts];
}

async function scriptRow(scripts: readonly string[]): Promise<Result> {
  const [gzip, br] = [await sizeOf(scripts, 'gzip'), await sizeOf(scripts, 'br')];
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`;
  return boundResult({
    name: 'console, script of a first load',
    ours: `${kilobytes(gzip)} with gzip in ${scripts.length} files (${kilobytes(br)} with brotli, which browsers take)`,
    goal: `${goals.scriptKilobytes} kB with gzip or less`,
    met: gzip <= goals.scriptKilobytes * 1_000,
  });
}

/** Measures navigation through all pages in order: once as a warm-up, then once in each round. */
async function measureNavigation(bench: Bench, page: Page): Promise<Result> {
  const names = await linksOf(page);
  // From the overview, where it begins, to the second page, and from the last page back to the overview.
  const order = [...names.slice(1), ...names.slice(0, 1)];
  for (const name of order) await clickLink(page, name);
  const times = new Map<string, number[]>(order.map((name) => [name, []]));
  for (let round = 1; round <= bench.rounds; round++) {
    for (const name of order) times.get(name)?.push(await clickLink(page, name));
    const latest = order.map((name) => `${name} ${(times.get(name)?.at(-1) ?? Number.NaN).toFixed(0)}`);
    bench.say(`  round ${round}, milliseconds: ${latest.join(', ')}`);
  }
  const medians = order.map((name) => ({ name, time: median(times.get(name) ?? []) }));
  const slowest = medians.reduce((a, b) => (b.time > a.time ? b : a));
  const all = median(medians.map(({ time }) => time));
  return boundResult({
    name: 'console, navigation',
    ours: `median ${milliseconds(all)} over ${order.length} pages, the slowest ${milliseconds(slowest.time)} (${slowest.name})`,
    goal: `${goals.navigationMs} ms or less`,
    met: all <= goals.navigationMs,
  });
}
