import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page, Request } from 'playwright-core';
import type { ConsoleWorld } from './world.ts';

/** The most streams that all tabs of a browser may have open together, of its six connections to a server. */
const maxStreams = 4;
/** The longest time that the model accepts, so that no run ends by itself. The last test stops the runs. */
const seconds = '300';

/** Tests many running generations: in several tabs, and when a person stops them. */
export function tabsTests(at: () => { world: ConsoleWorld; page: Page }): void {
  let playground = '';
  test('sees eight runs under way in three tabs, of which none waits for a connection', async () => {
    const { world, page } = at();
    const address = `${world.url}/console/playground?kind=image&model=sandbox-slow`;
    const tabs = [page, await page.context().newPage(), await page.context().newPage()];
    const open = tabs.map(openStreams);
    await page.goto(address);
    await page.getByLabel('Prompt', { exact: true }).fill('eight that take long');
    await page.getByRole('textbox', { name: 'Seconds', exact: true }).fill(seconds);
    await page.getByRole('button', { name: 'Run several' }).click();
    await page.getByRole('menuitem', { name: 'Run 8 times' }).click();
    const underWay = (tab: Page) => tab.getByRole('progressbar', { name: 'Under way' });
    await until('all are under way', async () => (await underWay(page).count()) >= 16);
    // The estimate comes from the durations of earlier runs of the account.
    await page
      .getByText(/begins in /)
      .first()
      .waitFor();
    playground = page.url();
    for (const tab of tabs.slice(1)) {
      // If all connections were in use, nothing would load here.
      await tab.goto(playground);
      await until('they are seen here, too', async () => (await underWay(tab).count()) >= 16);
      await tab
        .getByText(/ in the queue/)
        .first()
        .waitFor();
    }
    const count = () => open.reduce((sum, streams) => sum + streams.size, 0);
    await until('all places are taken', async () => count() === maxStreams);
    await page.goto(`${world.url}/console/generations?status=queued`);
    await until('another tab has the places now', async () => (open[0]?.size ?? 0) === 0);
    await until('all places are taken again', async () => count() === maxStreams);
    for (const tab of tabs.slice(1)) await tab.close();
  });

  test('gives back the place of a stream that is refused', async () => {
    const { page } = at();
    const tab = await page.context().newPage();
    let refused = 0;
    await tab.route(/\/events(?:\?|$)/, async (route) => {
      refused++;
      const body = { code: 'forbidden', title: 'Forbidden', status: 403, detail: 'Not for you.' };
      await route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify(body),
      });
    });
    await tab.goto(playground);
    await until('streams had a place', async () => refused > 0);
    await until('no place is held', () =>
      tab.evaluate<boolean>('navigator.locks.query().then(({ held }) => held.length === 0)'),
    );
    await tab.close();
  });

  test('cancels together what waits, and stops together what runs', async () => {
    const { world, page } = at();
    await page.goto(`${world.url}/console/generations?status=queued`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('checkbox', { name: 'Choose all' }).check();
    const bar = page.getByRole('region', { name: 'Chosen generations' });
    await bar.getByRole('button', { name: 'Cancel', exact: true }).click();
    await dialog.getByRole('button', { name: 'Cancel them' }).click();
    await page.getByText('No generation is like that').waitFor();
    await page.goto(`${world.url}/console/generations?status=running`);
    await page.getByRole('table', { name: 'Generations' }).getByRole('link').first().waitFor();
    await page.getByRole('checkbox', { name: 'Choose all' }).check();
    await bar.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByText('your plan says so').waitFor();
    await dialog.getByRole('button', { name: 'Stop them' }).click();
    await page.getByText(/asked to stop\.$/).waitFor();
    await page.getByText('No generation is like that').waitFor();
  });
}

/** Collects the streams that a tab has open, now and later. */
function openStreams(tab: Page): ReadonlySet<Request> {
  const open = new Set<Request>();
  tab.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/events')) open.add(request);
  });
  tab.on('requestfinished', (request) => open.delete(request));
  tab.on('requestfailed', (request) => open.delete(request));
  return open;
}
