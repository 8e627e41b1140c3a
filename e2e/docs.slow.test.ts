import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventTypes } from '@renderkit/contract/v1/event-types.ts';
import { samples } from '@renderkit/contract/v1/samples.ts';
import type { Browser, Page } from 'playwright-core';
import { noBrowser, openBrowser, watch } from './harness/browser.ts';
import { openWorld, type World } from './spec/world.ts';

describe('the served documents in a browser', { skip: noBrowser }, () => {
  let world: World;
  let browser: Browser;
  before(async () => {
    world = await openWorld({ workers: 0 });
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await world[Symbol.asyncDispose]();
  });

  /** Opens a page and records its requests and errors. */
  async function open(path: string, colorScheme: 'light' | 'dark') {
    const page = await browser.newPage({ colorScheme });
    const watched = await watch(page);
    await page.goto(world.url + path);
    return { page, ...watched };
  }
  const backgroundOf = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');

  test('the reference draws every part of the API, and asks nobody but the service', async () => {
    const { page, asked, errors } = await open('/docs', 'light');
    const navigation = page.locator('#reference');
    for (const name of ['Account', 'Catalog', 'Projects', 'Library', 'Uploads', 'Generations', 'Webhooks'])
      await navigation.getByText(name, { exact: true }).first().waitFor();
    await page.getByText('Show the account').first().waitFor();
    // Gives the page time for late requests.
    await page.waitForTimeout(1_000);
    assert.deepEqual(errors, []);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${world.url}/`) && !url.startsWith('data:')),
      [],
    );
    assert.ok(asked.includes(`${world.url}/openapi.json`));
    await page.close();
  });

  test('the reference shows the samples of the document and no others, and every event', async () => {
    const { page, errors } = await open('/docs', 'light');
    const navigation = page.locator('#reference');
    await navigation.getByText('Generations', { exact: true }).first().click();
    await navigation.getByText('Generate images').first().click();
    const operation = page.locator('[id="api-1/tag/generations/POST/v1/images/generations"]');
    await operation.getByText(samples.createImageGeneration.shell.split('\n')[0] ?? '').waitFor();
    // Content that the program would invent: other clients, with placeholders instead of a key.
    assert.doesNotMatch(await operation.innerText(), /YOUR_SECRET_TOKEN|libcurl|axios/i);
    await navigation.getByText('Webhooks', { exact: true }).first().click();
    for (const type of eventTypes)
      await page.locator(`[id="api-1/tag/webhooks/webhook/POST/${type}"]`).waitFor({ state: 'attached' });
    assert.deepEqual(errors, []);
    await page.close();
  });

  test('the other pages load nothing more, lead to one another, and follow the colours of the system', async () => {
    for (const path of ['/', '/docs/errors', '/docs/sandbox', '/docs/webhooks']) {
      const colours = new Set<unknown>();
      for (const scheme of ['light', 'dark'] as const) {
        const { page, asked, errors } = await open(path, scheme);
        colours.add(await backgroundOf(page));
        assert.deepEqual(errors, [], path);
        assert.deepEqual(
          asked.filter((url) => !url.endsWith('/favicon.ico')),
          [world.url + path],
        );
        await page.close();
      }
      assert.equal(colours.size, 2, path);
    }
    const { page } = await open('/', 'light');
    for (const [name, path] of [
      ['Errors', '/docs/errors'],
      ['Sandbox', '/docs/sandbox'],
      ['Webhooks', '/docs/webhooks'],
      ['API', '/docs'],
    ] as const) {
      await page.locator('.bar').getByRole('link', { name, exact: true }).click();
      await page.waitForURL(world.url + path);
    }
    await page.close();
  });

  test('a link of a problem leads to its code, and the page fits a telephone', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
    await page.goto(`${world.url}/docs/errors#queue_full`);
    const heading = page.locator('#queue_full h2');
    await heading.waitFor();
    assert.equal(await heading.isVisible(), true);
    for (const path of ['/', '/docs/errors', '/docs/sandbox', '/docs/webhooks']) {
      await page.goto(world.url + path);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(Number(width) <= 360, `${path} is ${String(width)} wide`);
    }
    await page.close();
  });
});
