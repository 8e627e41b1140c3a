import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page, Request } from 'playwright-core';
import type { ConsoleWorld } from './world.ts';

const creates = '**/v1/images/generations';
const models = '**/console/api/v1/models';
/** A script that simulates a return to the tab. */
const comesBack = 'document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))';

/** Tests that a person never loses a text, and never pays twice, whatever else happens. */
export function keptWorkTests(at: () => { world: ConsoleWorld; page: Page }): void {
  /** Opens the playground in a separate tab, whose clock can be advanced. */
  const openTab = async (search = 'kind=image&model=sketch-1') => {
    const { world, page } = at();
    const tab = await page.context().newPage();
    await tab.clock.install();
    await tab.goto(`${world.url}/console/playground?${search}`);
    const prompt = tab.getByLabel('Prompt', { exact: true });
    await prompt.waitFor();
    const button = (name: string) => tab.getByRole('button', { name, exact: true });
    return { world, tab, prompt, button, [Symbol.asyncDispose]: () => tab.close() };
  };
  /** Collects the creates that the tab sends. */
  const createsOf = (tab: Page): readonly Request[] => {
    const sent: Request[] = [];
    tab.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/images/generations')) sent.push(request);
    });
    return sent;
  };

  test('keeps what is written although the models cannot be read for a moment', async () => {
    await using opened = await openTab();
    const { tab, prompt } = opened;
    await prompt.fill('twenty minutes of work');
    await tab.route(models, (route) => route.fulfill({ status: 500 }));
    await tab.clock.fastForward(61_000);
    const failed = tab.waitForResponse((answer) => answer.status() === 500);
    await tab.evaluate(comesBack);
    await failed;
    await tab.waitForTimeout(100);
    assert.ok(await prompt.isVisible());
    assert.equal(await prompt.inputValue(), 'twenty minutes of work');
    // While the model is looked up separately, there is no form.
    await tab.unroute(models);
    await tab.route(models, async (route) => {
      const listed = (await (await route.fetch()).json()) as { data: { id: string }[] };
      await route.fulfill({ json: { ...listed, data: listed.data.filter(({ id }) => id !== 'sketch-1') } });
    });
    await tab.clock.fastForward(61_000);
    await tab.evaluate(comesBack);
    await tab.getByText('Your plan does not include').first().waitFor();
    assert.equal(await prompt.inputValue(), 'twenty minutes of work');
    await tab.unroute(models);
    await tab.clock.runFor(500);
    await tab.reload();
    await prompt.waitFor();
    assert.equal(await prompt.inputValue(), 'twenty minutes of work');
  });

  test('runs once for a key that is held down', async () => {
    await using opened = await openTab();
    const { tab, prompt } = opened;
    const sent = createsOf(tab);
    for (const where of ['in the prompt', 'elsewhere']) {
      await prompt.fill(`held down ${where}`);
      if (where === 'elsewhere') await tab.getByRole('heading', { level: 1 }).focus();
      const before = tab.url();
      await tab.keyboard.down('Control');
      await tab.keyboard.down('Enter');
      await tab.waitForURL((url) => url.href !== before);
      await until('another could be started', () =>
        tab.getByRole('button', { name: 'Run', exact: true }).isEnabled(),
      );
      for (let repeats = 0; repeats < 5; repeats++) await tab.keyboard.down('Enter');
      await tab.keyboard.up('Enter');
      await tab.keyboard.up('Control');
    }
    assert.deepEqual(
      sent.map((request) => (request.postDataJSON() as { prompt: string }).prompt),
      ['held down in the prompt', 'held down elsewhere'],
    );
  });

  test('leaves while a run is accepted, and is not brought back; of one that is refused it is told there', async () => {
    await using opened = await openTab();
    const { tab, prompt, button } = opened;
    const library = async () => {
      await tab.getByRole('link', { name: 'Library', exact: true }).click();
      await tab.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    };
    const answer = Promise.withResolvers<undefined>();
    let accepted = 1;
    await tab.route(creates, async (route) => {
      if (accepted-- > 0) {
        await answer.promise;
        return route.continue();
      }
      const body = {
        code: 'insufficient_credits',
        title: 'Payment',
        status: 402,
        detail: 'Nothing is left.',
      };
      return route.fulfill({ status: 402, json: body, contentType: 'application/problem+json' });
    });
    await prompt.fill('left while it was accepted');
    await button('Run several').click();
    await tab.getByRole('menuitem', { name: 'Run 2 times' }).click();
    await library();
    const refused = tab.waitForResponse((one) => one.status() === 402);
    answer.resolve(undefined);
    await refused;
    const alert = tab.getByRole('alert').filter({ hasText: '1 of 2 runs were started' });
    await alert.getByText('Nothing is left.').waitFor();
    assert.equal(new URL(tab.url()).pathname, '/console/library');
  });

  test('reloads a page whose run got no answer, and runs the same again: it is one request', async () => {
    await using opened = await openTab();
    const { tab, prompt, button } = opened;
    const sent = createsOf(tab);
    await tab.route(creates, () => undefined);
    await prompt.fill('into a black hole');
    await button('Run').click();
    await until('it is sent', async () => sent.length === 1);
    await tab.clock.fastForward(61_000);
    await tab.getByText('It was not run').waitFor();
    await until('it can be run again', () => button('Run').isEnabled());
    await tab.reload();
    await tab.unroute(creates);
    await prompt.waitFor();
    assert.equal(await prompt.inputValue(), 'into a black hole');
    const accepted = tab.waitForResponse(creates);
    await button('Run').click();
    assert.equal((await accepted).status(), 202);
    const [first, second] = await Promise.all(
      sent.map(async (request) => [(await request.allHeaders())['idempotency-key'], request.postData()]),
    );
    assert.ok(first?.[0] !== undefined);
    assert.deepEqual(first, second);
    // After the answer, the same request is a new one.
    const third = tab.waitForRequest(creates);
    await until('it can be run once more', () => button('Run').isEnabled());
    await button('Run').click();
    assert.notEqual((await (await third).allHeaders())['idempotency-key'], first[0]);
  });

  test('takes back what was discarded, however long the toast was looked at', async () => {
    const { world, page } = at();
    const rows = await page.request.get(`${world.url}/console/api/generations?status=succeeded`);
    const { data } = (await rows.json()) as {
      data: { generation: { id: string; outputs: { id: string }[] } }[];
    };
    const made = data.find(({ generation }) => generation.outputs.length > 0)?.generation;
    await using opened = await openTab(`kind=image&model=sketch-1&generation=${made?.id ?? ''}`);
    const { tab, button } = opened;
    const deleted: string[] = [];
    tab.on('request', (request) => request.method() === 'DELETE' && deleted.push(request.url()));
    const result = tab.getByRole('region', { name: 'Result' });
    await result.getByRole('button', { name: 'Discard', exact: true }).first().click();
    await button('Undo').hover();
    await tab.clock.runFor(7_000);
    assert.deepEqual(deleted, []);
    await button('Undo').click();
    await result
      .getByRole('button', { name: /^Show .* large$/ })
      .first()
      .waitFor();
    await tab.clock.runFor(7_000);
    assert.deepEqual(deleted, []);
    const asset = await page.request.get(
      `${world.url}/console/api/v1/assets/images/${made?.outputs[0]?.id ?? ''}`,
    );
    assert.equal(asset.status(), 200);
  });
}
