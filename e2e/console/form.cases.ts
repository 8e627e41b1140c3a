import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page } from 'playwright-core';
import type { ConsoleWorld } from './world.ts';

/** Tests what the form of the playground does with choices and texts of a person. */
export function formTests(at: () => { world: ConsoleWorld; page: Page }): void {
  const open = async (search: string) => {
    const { world, page } = at();
    await page.goto(`${world.url}/console/playground?${search}`);
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.waitFor();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    return { world, page, prompt, button };
  };

  test('pays for no setting twice that was the second one and is now the first', async () => {
    const { page, prompt, button } = await open('kind=image&model=atelier-1');
    await prompt.fill('a hill');
    await button('Run several').click();
    await page.getByRole('menuitem', { name: /^Vary settings/ }).click();
    const dialog = page.getByRole('dialog');
    const choose = async (field: string) => {
      await dialog.getByRole('combobox', { name: field }).click();
      await page.getByRole('option', { name: 'Detail', exact: true }).click();
    };
    await choose('Second setting');
    await dialog.getByRole('textbox', { name: 'Values' }).fill('3, 9');
    await dialog.getByRole('button', { name: 'Start 2 runs' }).waitFor();
    await choose('First setting');
    await dialog.getByRole('button', { name: 'Choose some values' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Values' }).fill('1, 5');
    await dialog.getByRole('button', { name: 'Start 2 runs' }).waitFor();
    assert.equal(await dialog.getByRole('combobox', { name: 'Second setting' }).inputValue(), '');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('finds what was being written again below the earlier prompt that took its place', async () => {
    const { page, prompt, button } = await open('kind=image&model=sketch-1');
    await prompt.fill('a hill that was run');
    await button('Run').click();
    await page.waitForURL(/generation=/);
    await prompt.fill('not yet run');
    await button('Earlier prompts').click();
    const earlier = page.getByRole('menuitem').first();
    const text = await earlier.innerText();
    await earlier.click();
    await until('it is taken up', async () => (await prompt.inputValue()) === text);
    await prompt.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowDown');
    assert.equal(await prompt.inputValue(), 'not yet run');
  });

  test('gets back what was in the form before it was cleared, or a request took its place', async () => {
    const { page, prompt, button } = await open('kind=image&model=sketch-1');
    await prompt.fill('a request that was run');
    await button('Run').click();
    const putBack = button('Put its request into the form');
    await putBack.waitFor();
    await page.getByRole('radio', { name: '16:9' }).check();
    const form = page.getByRole('region', { name: 'Request' });
    const undo = button('Undo the change of the form');
    for (const [replace, told] of [
      [button('Clear the form'), 'The form was cleared.'],
      [putBack, 'The request took the place of what was in the form.'],
    ] as const) {
      await prompt.fill('twenty minutes of work');
      await replace.click();
      await page.getByText(told).waitFor();
      await until('it is replaced', async () => (await prompt.inputValue()) !== 'twenty minutes of work');
      await undo.click();
      await until('it is back', async () => (await prompt.inputValue()) === 'twenty minutes of work');
      assert.ok(await form.getByRole('radio', { name: '16:9' }).isChecked());
      await undo.waitFor({ state: 'detached' });
    }
    // When nothing is lost, no message appears.
    await prompt.fill('a request that was run');
    await page.getByRole('radio', { name: '1:1' }).check();
    await button('Clear the form').click();
    await undo.waitFor();
    await button('Clear the form').click();
    await undo.waitFor({ state: 'detached' });
  });

  test('is asked before what runs is stopped, and is not told that it was paid back', async () => {
    const { page, prompt, button } = await open('kind=image&model=sandbox-slow');
    await prompt.fill('a run that takes long');
    // The longest time that the model accepts, so that the run does not end by itself.
    await page.getByRole('textbox', { name: 'Seconds', exact: true }).fill('300');
    await button('Run').click();
    const dialog = page.getByRole('dialog');
    const stop = async (answer: string) => {
      await button('Stop').click();
      await dialog.getByText('your plan says so').waitFor();
      await dialog.getByRole('button', { name: answer, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await stop('Keep');
    await stop('Stop');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Failed', { exact: true }).waitFor();
    await result.getByRole('link', { name: 'Details' }).click();
    await page
      .getByRole('region', { name: 'Facts' })
      .getByText(/, given back if/)
      .waitFor();
  });

  test('reads in a sentence why a request has no price', async () => {
    const { page } = await open('use=nothing-of-the-library&as=image');
    const sentence = 'Image: there is no such item in the library, and no such upload.';
    await page.getByRole('status').filter({ hasText: sentence }).waitFor();
  });

  test('turns a square picture into a square video, unless another ratio was chosen', async () => {
    const { world, page, prompt, button } = await open('kind=image&model=sketch-1');
    await button('Clear the form').click();
    await prompt.fill('a square hill');
    await page.getByRole('radio', { name: '1:1' }).check();
    await button('Run').click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Succeeded').first().waitFor();
    const generation = new URL(page.url()).searchParams.get('generation') ?? '';
    const made = await page.request.get(`${world.url}/console/api/v1/generations/${generation}`);
    const { outputs } = (await made.json()) as { outputs: { id: string }[] };
    const frame = `use=${outputs[0]?.id ?? ''}&as=start_image`;
    await open('kind=video&model=drift-1');
    await button('Clear the form').click();
    const priced = page.waitForRequest(
      (request) => request.url().endsWith('/estimate') && request.postData()?.includes('"1:1"') === true,
    );
    await open(`${frame}&model=drift-1`);
    const isChosen = (ratio: string) => () => page.getByRole('radio', { name: ratio }).isChecked();
    await until('it is square', isChosen('1:1'));
    await priced;
    await page.getByRole('radio', { name: '9:16' }).check();
    await open(`${frame}&model=drift-1`);
    await until('it is upright', isChosen('9:16'));
  });
}
