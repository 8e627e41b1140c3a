import type { Page } from 'playwright-core';
import { startComfyCounterpart } from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { firstWorkflow } from '@renderkit/engine-comfyui/testing/first-workflow.ts';
import { untilSettled } from './page-views.ts';
import type { ConsoleWorld, Person } from './world.ts';

const checkpoint = 'sd_xl_base_1.0.safetensors';

/**
 * Goes through the pages of an administrator who adds a ComfyUI and imports a workflow. Calls `at` on each page with a
 * name for it. `who` must be signed in.
 */
export async function walkAdministration(
  world: ConsoleWorld,
  page: Page,
  who: Person,
  at: (name: string) => Promise<void>,
): Promise<void> {
  await using comfy = await startComfyCounterpart({ checkpoints: [checkpoint], nodeMs: 20 });
  await world.platform.operator('account', 'set', '--email', who.email, '--administrator', 'true');
  const visit = async (path: string, shows: string) => {
    await page.goto(`${world.url}/console/administration/${path}`);
    await page.getByText(shows).first().waitFor();
    await untilSettled(page);
  };
  const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

  await visit('backends', 'procedural');
  await page.getByRole('button', { name: 'Add a backend', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('gpu1');
  await page.getByRole('dialog').getByLabel('Address').fill(comfy.url);
  await at('backend-add');
  await inDialog('Add and ask it').click();
  await page.getByRole('heading', { level: 1, name: 'gpu1', exact: true }).waitFor();
  await page.getByRole('region', { name: 'Backend', exact: true }).getByText('Ready').waitFor();
  await at('backend');
  await visit('backends', 'gpu1');
  await at('backends');

  await visit('models', 'atelier-1');
  const workflow = JSON.stringify(firstWorkflow(checkpoint));
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'portrait.json', mimeType: 'application/json', buffer: Buffer.from(workflow) });
  await at('model-import');
  await inDialog('Import').click();
  await page.getByRole('heading', { level: 1, name: 'Portrait', exact: true }).waitFor();
  await page.getByRole('row').filter({ hasText: 'sampler.cfg' }).waitFor();
  await untilSettled(page);
  await at('model');
  await visit('models', 'portrait');
  await at('models');
  await visit('plans', 'Plans');
  await at('plans');
  await visit('styles', 'Styles');
  await at('styles');
  await page.goto(`${world.url}/console/audit?of=administration`);
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  await at('audit-administration');
}
