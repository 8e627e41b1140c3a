import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { progressStages } from '@renderkit/contract/v1/progress.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import type { Locator, Page } from 'playwright-core';
import { consoleCallerOf } from './sample-account.ts';
import type { ConsoleWorld } from './world.ts';

const renderTimeoutMs = 90_000;

/** Tests what the area of results shows, and which element gets the keys next. */
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
    const prompt = page.getByLabel('Prompt', { exact: true });
    const show = async (search: string) => {
      await page.goto(`${world.url}/console/playground?${search}`);
      await prompt.waitFor();
    };
    const result = page.getByRole('region', { name: 'Result' });
    const large = result.getByRole('button', { name: /^Show .* large$/ });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    const recent = (words: string) =>
      page.getByRole('navigation', { name: 'Recent runs' }).getByRole('link', { name: `Recent: ${words}` });
    await page.setViewportSize({ width: 1440, height: 900 });
    return { page, call, make, show, prompt, result, large, button, dialog, recent };
  };
  const hasFocus = (one: Locator) =>
    until('it has the focus', async () => (await one.count()) === 1 && (await one.evaluate(isActive)));

  /**
   * While a menu closes, it still takes Escape. The key goes to the focused element, so this waits until the dialog has
   * the focus.
   */
  const leaveDialog = async (page: Page, dialog: Locator) => {
    await until('it has the focus in it', async () => (await dialog.locator(':focus').count()) === 1);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
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
    // When this choice was made before, the form shows the picture to paint on at once.
    await show(`kind=image&model=sketch-1&generation=${id}`);
    const editByKey = async () => {
      await button('Edit').waitFor();
      await large.focus();
      await page.keyboard.press('e');
      await page.getByRole('radio', { name: 'What I paint' }).check();
      await isSeen();
    };
    await editByKey();
    await large.scrollIntoViewIfNeeded();
    await editByKey();
  });

  test('runs a grid over two settings, and is told of each result what it was made with, compared or not', async () => {
    const { page, show, prompt, result, large, button, dialog } = await parts();
    await show('kind=image&model=sketch-1');
    await prompt.fill('a grid of hills');
    await button('Run several').click();
    await page.getByRole('menuitem', { name: /^Vary settings/ }).click();
    const choose = async (field: string, setting: string) => {
      // The pills of a field cover its input, so the input is focused instead of clicked.
      await dialog.getByRole('combobox', { name: field }).focus();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('option', { name: setting, exact: true }).click();
    };
    await choose('First setting', 'Aspect ratio');
    await choose('Values', '1:1');
    await page.getByRole('option', { name: '16:9', exact: true }).click();
    await page.keyboard.press('Tab');
    await choose('Second setting', 'Seed');
    await dialog.getByRole('textbox', { name: 'Values' }).last().fill('7, 8');
    const together = await dialog.getByText(/^[\d.]+ credits together; you have /).innerText();
    const [alone] = await page.getByText(/^[\d.]+ credits? for/).allInnerTexts();
    assert.equal(Number.parseFloat(together), 4 * Number.parseFloat(alone ?? ''));
    await dialog.getByRole('button', { name: 'Start 4 runs' }).click();
    await large.nth(3).waitFor({ timeout: renderTimeoutMs });
    const labels = ['1:1', '16:9'].flatMap((ratio) =>
      [7, 8].map((seed) => `Aspect ratio ${ratio} · Seed ${seed}`),
    );
    for (const label of labels) await result.getByText(label).waitFor();
    await button('Compare them').click();
    await dialog.getByText('Compare 4 results').waitFor();
    const sides = dialog.getByRole('listitem');
    await until('all are shown', async () => (await sides.locator('img').count()) === 4);
    assert.deepEqual(await sides.allInnerTexts(), labels);
    await leaveDialog(page, dialog);
    await hasFocus(button('Compare them'));
    const compare = result.getByRole('button', { name: 'Compare', exact: true });
    for (const one of [3, 1]) {
      await compare.nth(one).focus();
      await page.keyboard.press('c');
    }
    await dialog.getByRole('slider', { name: `How much of the first is shown: ${labels[3]}` }).waitFor();
    await dialog.getByText(labels[1] ?? '', { exact: true }).waitFor();
    await leaveDialog(page, dialog);
    await hasFocus(compare.nth(1));
  });

  test('discards one result after another by keys alone', async () => {
    const { page, show, prompt, result, large, button } = await parts();
    await show('kind=image&model=sketch-1');
    await prompt.fill('four to cull');
    await button('Run several').click();
    await page.getByRole('menuitem', { name: /^Run 4 times/ }).click();
    await large.nth(3).waitFor({ timeout: renderTimeoutMs });
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
    const { page, make, show, prompt, result, large, button, dialog } = await parts();
    const { id } = await make('a hill to come back to');
    await show(`kind=image&model=sketch-1&generation=${id}`);
    await prompt.fill('');
    // The first time its script is loaded; the second time it is there already.
    for (const key of ['Control+k', 'Control+k']) {
      await prompt.focus();
      await page.keyboard.press(key);
      await leaveDialog(page, dialog);
      await hasFocus(prompt);
    }
    await page.keyboard.type('gl');
    assert.equal(await prompt.inputValue(), 'gl');
    await large.focus();
    await page.keyboard.press('?');
    await leaveDialog(page, dialog);
    await hasFocus(large);
    await button('Run several').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: /^Vary settings/ }).click();
    await leaveDialog(page, dialog);
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
    // The deletion can be undone while this message is visible, and happens only after that.
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

  test('is told the same of a run at its badge, on the canvas, and in the row of runs', async () => {
    const { page, call, show, result, recent } = await parts();
    const words = 'one of which it is said how far it is';
    const body = { model: 'sandbox-slow', prompt: words, options: { seconds: 300 } };
    const { id } = await call<Generation>('POST', '/v1/images/generations', body);
    const status = async () => (await call<Generation>('GET', `/v1/generations/${id}`)).status;
    await until('it runs', async () => (await status()) === 'running');
    const isSaid = (badge: string, tell: () => Promise<string>) =>
      until(`all say ${badge}`, async () => {
        const sentence = await tell();
        const [canvas, row] = await Promise.all([result.innerText(), recent(words).innerText()]);
        return [badge, sentence].every((said) => canvas.includes(said)) && row.includes(sentence);
      });
    // The list of runs and the stream are read at different times.
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
