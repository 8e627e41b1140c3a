import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressStages } from '@renderkit/contract/v1/progress.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import type { Locator, Page } from 'playwright-core';
import { until } from './page-views.ts';
import { consoleCallerOf } from './sample-account.ts';
import type { ConsoleWorld } from './world.ts';

const renderTimeoutMs = 90_000;

/** What is seen where results are, and where the keys go next. */
export function canvasTests(at: () => { world: ConsoleWorld; page: Page }): void {
  const parts = async () => {
    const { world, page } = at();
    const call = consoleCallerOf(world, page);
    const make = async (prompt: string): Promise<Generation> => {
      const body = { model: 'sketch-1', prompt };
      const { id } = await call<Generation>('POST', '/v1/images/generations', body);
      for (;;) {
        const made = await call<Generation>('GET', `/v1/generations/${id}?wait=5`);
        if (made.status === 'succeeded') return made;
        assert.ok(made.status === 'queued' || made.status === 'running', JSON.stringify(made.error));
      }
    };
    const show = async (search: string) => {
      await page.goto(`${world.url}/console/playground?${search}`);
      await page.getByLabel('Prompt', { exact: true }).waitFor();
    };
    const result = page.getByRole('region', { name: 'Result' });
    const large = result.getByRole('button', { name: /^Show .* large$/ });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    const recent = (words: string) =>
      page.getByRole('navigation', { name: 'Recent runs' }).getByRole('link', { name: `Recent: ${words}` });
    await page.setViewportSize({ width: 1440, height: 900 });
    return { page, call, make, show, result, large, button, dialog, recent };
  };
  const hasFocus = (one: Locator) =>
    until('it has the focus', async () => (await one.count()) === 1 && (await one.evaluate(isActive)));
  /** The playground with four results of a grid, by what is in the form. */
  const runGrid = async () => {
    const { page, show, large, button, dialog } = await parts();
    await show('kind=image&model=sketch-1');
    await page.getByLabel('Prompt', { exact: true }).fill('a grid to cull');
    await button('Run several').click();
    await page.getByRole('menuitem', { name: /^Vary settings/ }).click();
    await dialog.getByRole('combobox', { name: 'First setting' }).click();
    await page.getByRole('option', { name: 'Seed', exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Values' }).fill('7, 8, 9, 10');
    await dialog.getByRole('button', { name: 'Start 4 runs' }).click();
    await large.nth(3).waitFor({ timeout: renderTimeoutMs });
  };

  test('sees what is to be painted on, however it came there', async () => {
    const { page, make, show, large, button } = await parts();
    const { id } = await make('a hill to paint over');
    const painting = page.getByRole('application', { name: 'Painting on the picture' });
    const isSeen = () =>
      until('it is in the window', async () => {
        const box = await painting.boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height <= 900;
      });
    await show(`kind=image&model=sketch-1&generation=${id}`);
    await button('Edit').click();
    await page.getByRole('radio', { name: 'The whole picture' }).check();
    await page.getByRole('radio', { name: 'What I paint' }).check();
    await isSeen();
    // The form has it at once, where that was chosen before.
    await show(`kind=image&model=sketch-1&generation=${id}`);
    await large.focus();
    await page.keyboard.press('e');
    await isSeen();
    await large.scrollIntoViewIfNeeded();
    await large.focus();
    await page.keyboard.press('e');
    await isSeen();
  });

  test('discards one result after another by keys alone', async () => {
    await runGrid();
    const { page, result, large, button } = await parts();
    await result.getByRole('button', { name: 'Keep', exact: true }).nth(3).click();
    await large.nth(1).focus();
    await page.keyboard.press('x');
    await until('three are left', async () => (await large.count()) === 3);
    await hasFocus(large.nth(1));
    await page.keyboard.press('k');
    await until(
      'the next is kept',
      async () => (await result.getByRole('button', { name: 'Keep', pressed: true }).count()) === 2,
    );
    await button('Discard the other 1').click();
    await until('two are left', async () => (await large.count()) === 2);
    await hasFocus(large.nth(0));
    await page.keyboard.press('x');
    await hasFocus(large.first());
    await page.keyboard.press('x');
    await until('nothing is left', async () => (await large.count()) === 0);
    await hasFocus(result);
  });

  test('finds the focus where it was, after a dialog and after a run that was stopped', async () => {
    const { page, make, show, result, large, button, dialog } = await parts();
    const { id } = await make('a hill to come back to');
    await show(`kind=image&model=sketch-1&generation=${id}`);
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.fill('');
    // The first time its script is loaded, and later it is there.
    for (const key of ['Control+k', 'Control+k']) {
      await prompt.focus();
      await page.keyboard.press(key);
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await hasFocus(prompt);
    }
    await page.keyboard.type('gl');
    assert.equal(await prompt.inputValue(), 'gl');
    await large.focus();
    await page.keyboard.press('?');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await hasFocus(large);
    await button('Run several').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: /^Vary settings/ }).click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await hasFocus(button('Run several'));
    await page.goto(`${page.url().split('?')[0]}?kind=image&model=sandbox-slow`);
    await prompt.fill('one that is stopped');
    await page.getByRole('textbox', { name: 'Seconds', exact: true }).fill('300');
    await page.keyboard.press('Control+Enter');
    await button('Stop').focus();
    await page.keyboard.press('Enter');
    const asked = dialog.getByRole('button', { name: 'Stop', exact: true });
    await result.getByText('Failed').or(asked).first().waitFor();
    if (await asked.isVisible()) await asked.click();
    await result.getByText('Failed').first().waitFor();
    await hasFocus(result);
  });

  test('finds a discarded result discarded, wherever they were since, and compares it with nothing', async () => {
    const { page, make, show, result, large, button, dialog, recent } = await parts();
    const first = await make('the first of two');
    await make('the second of two');
    await show(`kind=image&model=sketch-1&generation=${first.id}`);
    await large.focus();
    await page.keyboard.press('c');
    await result.getByRole('button', { name: 'Compare', pressed: true }).waitFor();
    const deleted = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await large.focus();
    await page.keyboard.press('x');
    const gone = result.getByText('What it made was discarded.');
    await gone.waitFor();
    // It can be taken back as long as this is seen, and is not deleted before.
    await button('Undo').hover();
    await recent('the second of two').click();
    await large.focus();
    await page.keyboard.press('c');
    await result.getByRole('button', { name: 'Compare', pressed: true }).waitFor();
    assert.equal(await dialog.count(), 0);
    await page.keyboard.press('c');
    await recent('the first of two').click();
    await gone.waitFor();
    await page.getByRole('link', { name: 'Library', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await recent('the first of two').click();
    await gone.waitFor();
    assert.equal((await deleted).status(), 200);
    await recent('the second of two').click();
    await large.waitFor();
    await recent('the first of two').click();
    await gone.waitFor();
  });

  test('is told of each result of a grid what it was made with, where they are compared', async () => {
    await runGrid();
    const { page, result, button, dialog } = await parts();
    await button('Compare them').click();
    for (const [i, seed] of [7, 8, 9, 10].entries())
      await dialog.getByRole('listitem').nth(i).getByText(`Seed ${seed}`, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await hasFocus(button('Compare them'));
    const compare = result.getByRole('button', { name: 'Compare', exact: true });
    await compare.nth(3).focus();
    await page.keyboard.press('c');
    await compare.nth(1).focus();
    await page.keyboard.press('c');
    await dialog.getByRole('slider', { name: 'How much of the first is shown: Seed 10' }).waitFor();
    await dialog.getByText('Seed 8', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await hasFocus(compare.nth(1));
  });

  test('is told the same of a run at its badge, on the canvas, and in the row of runs', async () => {
    const { page, call, show, result, recent } = await parts();
    const prompt = 'one of which it is said how far it is';
    const body = { model: 'sandbox-slow', prompt, options: { seconds: 300 } };
    const { id } = await call<Generation>('POST', '/v1/images/generations', body);
    const status = async () => (await call<Generation>('GET', `/v1/generations/${id}`)).status;
    await until('it runs', async () => (await status()) === 'running');
    const isSaid = (badge: string, tell: () => Promise<string>) =>
      until(`all say ${badge}`, async () => {
        const sentence = await tell();
        const [canvas, row] = await Promise.all([result.innerText(), recent(prompt).innerText()]);
        return [badge, sentence].every((words) => canvas.includes(words)) && row.includes(sentence);
      });
    // The list of runs and the stream are read at different moments.
    const rows = '**/console/api/generations?*';
    await page.route(rows, async (route) => {
      const text = await (await route.fetch()).text();
      await route.fulfill({
        contentType: 'application/json',
        body: text.replaceAll('"running"', '"queued"'),
      });
    });
    const begun = page.waitForRequest((request) => request.url().includes(`/v1/generations/${id}/events`));
    await show(`kind=image&model=sandbox-slow&generation=${id}`);
    await begun;
    for (let reads = 0; reads < 3; reads++) await page.waitForResponse(rows);
    await isSaid('Queued', async () => progressStages.queued);
    await page.unroute(rows);
    const path = `/v1/generations/${id}/progress`;
    await isSaid('Running', async () => progressStages[(await call<Progress>('GET', path)).stage]);
    await call<Generation>('POST', `/v1/generations/${id}/stop`);
    await isSaid('Failed', async () => 'Failed');
  });
}

const isActive = (element: unknown) =>
  element === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement;
