import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ConsoleWorld } from './world.ts';

/** A model that draws like the sketch model and has no subjects, like the operators' own models. */
const ownModel = `
manifest: 1
id: own-model
name: Own
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 256, height: 256 }]
price: { base_millicredits: 1000 }
routes:
  - name: drawn
    engine: procedural
    on: [procedural]
    model: atelier
    outputs: { kind: image, max_per_job: 1 }
`;

/** Tests what a person sees who asks a model for something that it cannot draw. Adds a model to the world. */
export function subjectTests(at: () => { world: ConsoleWorld; page: Page }): void {
  const parts = () => {
    const { world, page } = at();
    const prompt = page.getByLabel('Prompt', { exact: true });
    const open = async (model: string) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${world.url}/console/playground?kind=image&model=${model}`);
      await prompt.waitFor();
    };
    const hint = page.getByRole('status').filter({ hasText: 'names none of them' });
    return { world, page, prompt, open, hint };
  };

  test('is told which model draws what the default one cannot, and goes to it', async () => {
    const { page, prompt, open, hint } = parts();
    await open('atelier-1');
    await prompt.fill('A queen with a golden crown');
    await hint.filter({ hasText: 'Atelier draws landscapes, seas, towns, the sky, and space' }).waitFor();
    await page.getByRole('button', { name: /^Use .*, which draws portraits$/ }).click();
    await page.waitForURL((url) => url.searchParams.get('model') !== 'atelier-1');
    await hint.waitFor({ state: 'detached' });
    assert.equal(await prompt.inputValue(), 'A queen with a golden crown');
    await open('atelier-1');
    await prompt.fill('A calm sea at sunset');
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    assert.equal(await hint.count(), 0);
    await prompt.fill('A zebra at the piano');
    await hint.filter({ hasText: 'No model here says' }).waitFor();
    await prompt.fill('A portrait of a woman under snow');
    await page.getByText('the sky, and space, but not portraits.').waitFor();
    await page.getByRole('button', { name: /^Use .*, which draws portraits$/ }).waitFor();
  });

  test('is led to a model of the operator, which names no limits and is never doubted', async () => {
    const { world, page, prompt, open, hint } = parts();
    const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-own-model-'));
    try {
      const file = path.join(directory, 'own-model.model.yaml');
      await writeFile(file, ownModel);
      await world.platform.operator('model', 'add', '--file', file, '--publish', '--no-sample');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    await open('atelier-1');
    await prompt.fill('A zebra at the piano');
    await page.getByRole('button', { name: 'Use Own, which names no limits' }).click();
    await page.waitForURL(/model=own-model/);
    await hint.waitFor({ state: 'detached' });
    await prompt.fill('A giraffe in a kitchen');
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    assert.equal(await hint.count(), 0);
  });
}
