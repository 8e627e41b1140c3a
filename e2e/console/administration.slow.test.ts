import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  type ComfyCounterpart,
  startComfyCounterpart,
} from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { firstWorkflow } from '@renderkit/engine-comfyui/testing/first-workflow.ts';
import { writePng } from '@renderkit/engine-comfyui/testing/write-png.ts';
import { noBrowser } from '../harness/browser.ts';
import { createIssueFinder } from './page-issues.ts';
import { untilSettled } from './page-views.ts';
import { type ConsoleWorld, type Person, openConsoleWorld, signIn, type Visitor } from './world.ts';

const checkpoint = 'sd_xl_base_1.0.safetensors';

const portrait = firstWorkflow(checkpoint);

/** The sampler follows no known convention, so the import can only guess the prompt. */
const poster = {
  '3': {
    class_type: 'HouseSampler',
    inputs: { model: ['4', 0], guide: ['6', 0], latent_image: ['5', 0], effort: 4 },
  },
  '4': portrait['4'],
  '5': portrait['5'],
  '6': portrait['6'],
  '8': portrait['8'],
  '9': portrait['9'],
};

describe('an administrator runs the platform in the console', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let comfy: ComfyCounterpart;
  let who: Person;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    // Slow enough to cancel a job, or to look at it while it runs, on a busy machine too.
    comfy = await startComfyCounterpart({ checkpoints: [checkpoint], nodeMs: 150 });
    // Uses its own world, because its models and its changes of plans and styles would affect other tests.
    world = await openConsoleWorld();
    who = await world.person();
    await world.platform.operator('account', 'set', '--email', who.email, '--administrator', 'true');
    visitor = await world.visitor({ viewport: { width: 1280, height: 800 } });
    page = visitor.page;
    await signIn(world, page, who, '/console/keys');
  });
  after(async () => {
    try {
      await world[Symbol.asyncDispose]();
    } finally {
      await comfy[Symbol.asyncDispose]();
    }
  });

  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
  const dialog = () => page.getByRole('dialog');
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const menuItem = (name: string) => page.getByRole('menuitem', { name, exact: true });
  const visit = async (name: string) => {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click();
    await heading(name).waitFor();
  };
  const issues: string[] = [];
  const findIssues = createIssueFinder();
  /** Checks the page in its present state. The last test reports the issues. */
  const look = async (name: string) => {
    await untilSettled(page);
    issues.push(...(await findIssues(page, name)));
  };

  test('which nobody else sees, and whose calls are refused to everybody else', async () => {
    const other = await world.visitor();
    await signIn(world, other.page, await world.person(), '/console/administration/backends');
    await other.page.getByText('There is no page at this address for your account').waitFor();
    const links = other.page.getByRole('navigation', { name: 'Console' }).getByRole('link');
    assert.ok((await links.allInnerTexts()).every((name) => !['Backends', 'Models', 'Plans'].includes(name)));
    const backend = { name: 'mine', engine: 'comfyui', url: comfy.url };
    for (const [method, path, data] of [
      ['GET', '/backends', undefined],
      ['POST', '/backends', backend],
      ['GET', '/models', undefined],
      ['POST', '/models/atelier-1/retire', undefined],
      ['GET', '/audit', undefined],
    ] as const) {
      const address = `${world.url}/console/api/administration${path}`;
      const answer = await other.page.request.fetch(address, {
        method,
        headers: { origin: world.url },
        ...(data && { data }),
      });
      assert.equal(answer.status(), 403, `${method} ${path}: ${await answer.text()}`);
    }
    await other.page.context().close();
  });

  test('adds a ComfyUI, and tries it step by step', async () => {
    await visit('Backends');
    await row('procedural').getByText('Ready').waitFor();
    await look('backends');
    await button('Add a backend').click();
    await dialog().getByLabel('Name').fill('gpu1');
    await dialog().getByLabel('Address').fill('not an address');
    await inDialog('Add and ask it').click();
    await dialog().getByRole('alert').waitFor();
    await look('backend-add');
    await dialog().getByLabel('Address').fill(comfy.url);
    await inDialog('Add and ask it').click();
    await heading('gpu1').waitFor();
    await page.getByRole('region', { name: 'Backend', exact: true }).getByText('Ready').waitFor();
    await button('Check').click();
    await inDialog('Try every step').click();
    await inDialog('Try every step again').waitFor({ timeout: 60_000 });
    const steps = dialog().getByRole('list', { name: 'Steps' }).getByRole('listitem');
    assert.ok((await steps.count()) >= 10);
    assert.equal(
      await steps.filter({ hasText: 'Fails' }).count(),
      0,
      await steps.allInnerTexts().then(String),
    );
    await look('backend-check');
    await page.keyboard.press('Escape');
    await look('backend');
  });

  test('imports a workflow, and offers it at a price after signing in again', async () => {
    await visit('Models');
    await row('atelier-1').waitFor();
    await look('models');
    await page.locator('input[type=file]').first().setInputFiles(jsonFile('portrait.json', portrait));
    await look('model-import');
    await inDialog('Import').click();
    await heading('Portrait').waitFor();
    await row('positive.text').getByText('Sure').waitFor();
    await row('sampler.cfg').getByText('Likely').waitFor();
    await look('model');
    await world.platform.databases.service.execute(
      "update sessions set authenticated_at = clock() - interval '16 minutes'",
    );
    await button('Publish version 1').click();
    await dialog().getByLabel('Price in credits').fill('2.5');
    await inDialog('Publish').click();
    await dialog().getByText('Sign in again for this').waitFor();
    await look('model-publish');
    const opened = page.context().waitForEvent('page');
    await dialog().getByRole('link', { name: 'Sign in again' }).click();
    await signInAgain(await opened, who);
    await page.getByText('Portrait is on offer in version 2.').waitFor();
    await row(/^2\s*On offer/).waitFor();
  });

  /** Makes an image with the ComfyUI, as any user would. */
  const makeImage = async (model: string, price: string) => {
    const executed = comfy.executions;
    await page.goto(`${world.url}/console/playground?model=${model}`);
    await page.getByText(price).first().waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('a lake in the morning');
    await button('Run').click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await result.locator('img').first().waitFor();
    assert.ok(comfy.executions > executed, 'the ComfyUI was asked');
  };

  test('and anybody makes an image with it', () => makeImage('portrait', '2.5 credits'));

  test('goes back to an older version, having seen what that changes', async () => {
    await visit('Models');
    await page.getByRole('link', { name: 'Portrait', exact: true }).click();
    await page.getByRole('link', { name: 'Show version 1', exact: true }).click();
    await button('Go back to version 1').click();
    await dialog().getByText('Otherwise than version 2').waitFor();
    await dialog().getByText('2500', { exact: true }).waitFor();
    await look('model-back');
    await inDialog('Publish').click();
    await page.getByText('Portrait is on offer in version 1.').waitFor();
    await row(/^1\s*On offer/).waitFor();
  });

  test('drops an image that carries a workflow, and confirms what the import only guessed', async () => {
    await visit('Models');
    const image = writePng(64, 64, 0x336699, { prompt: JSON.stringify(poster) });
    await dropFile(page, 'poster.png', image);
    await dialog().getByText('Import poster.png').waitFor();
    await inDialog('Import').click();
    await heading('Poster').waitFor();
    await row('A guess').waitFor();
    // The draft stores the guesses and the errors.
    await page.reload();
    await page.getByText('It cannot be published like this').waitFor();
    assert.ok(await button('Publish version 1').isDisabled());
    await row('A guess')
      .getByRole('button', { name: /^Confirm Prompt for/ })
      .click();
    await button('Save as the next draft').click();
    await page.getByText('1 input set in version 2.').waitFor();
    await row(/^2\s*Draft/).waitFor();
    await page.waitForURL(/version=2/);
    await look('model-mended');
  });

  test('and goes on with it to the end: a sample, a price, an offer, and an image by it', async () => {
    // The page changes to the new version after its message. Before that, a sample would be of the old version.
    await button('Publish version 2').waitFor();
    await button('Render a sample').click();
    await page.getByText(/^It took /).waitFor({ timeout: 60_000 });
    await page.getByRole('region', { name: 'Sample' }).locator('img').waitFor();
    await button('Publish version 2').click();
    await dialog()
      .getByText(/The sample's time would make it \d/)
      .waitFor();
    await dialog().getByLabel('Price in credits').fill('1.75');
    await inDialog('Publish').click();
    await page.getByText('Poster is on offer in version 3.').waitFor();
    // The version with the price has the same sample, and so does the model as users see it.
    await page.getByRole('region', { name: 'Model', exact: true }).locator('img').waitFor();
    await makeImage('poster', '1.75 credits');
  });

  test('writes in a manifest while somebody else adds a version, and loses nothing', async () => {
    await visit('Models');
    await page.getByRole('link', { name: 'Poster', exact: true }).click();
    await heading('Poster').waitFor();
    await button('Manifest and workflow').click();
    await button('Edit the manifest').click();
    const manifest = page.getByRole('textbox', { name: 'Manifest' });
    const written = (await manifest.inputValue()).replace(/^name: .*$/m, 'name: Ten minutes of work');
    await manifest.fill(written);
    // A colleague adds a version in another tab.
    const address = `${world.url}/console/api/administration/models/poster`;
    const read = (await (await page.request.get(address)).json()) as { versions: { version: number }[] };
    const answer = await page.request.post(`${address}/versions`, {
      data: {
        base_version: read.versions[0]?.version,
        source: written.replace(/^name: .*$/m, 'name: Poster of a colleague'),
      },
      headers: { origin: world.url, 'sec-fetch-site': 'same-origin' },
    });
    const { version } = (await answer.json()) as { version: number | null };
    assert.ok(typeof version === 'number', await answer.text());
    await row(new RegExp(`^${version}\\s*Draft`)).waitFor();
    await page.getByRole('link', { name: `show version ${version}`, exact: true }).waitFor();
    assert.equal(await manifest.inputValue(), written);
    await button('Save as a draft').click();
    await page.getByText(`The changed manifest is version ${version + 1}.`).waitFor();
    await row(new RegExp(`^${version + 1}\\s*Draft`)).waitFor();
  });

  test('takes the machine out: what nothing else makes is paused, until it is back', async () => {
    await visit('Backends');
    await button('Actions for gpu1').click();
    await menuItem('Drain').click();
    await look('backend-drain');
    await inDialog('Drain backend').click();
    await row('gpu1').getByText('Off', { exact: true }).waitFor();
    await visit('Models');
    await row('portrait').getByText('Paused', { exact: true }).waitFor({ timeout: 60_000 });
    await visit('Backends');
    await button('Actions for gpu1').click();
    await menuItem('Resume').click();
    await row('gpu1').getByText('Ready', { exact: true }).waitFor();
    await visit('Models');
    await row('portrait').getByText('Offered', { exact: true }).waitFor({ timeout: 60_000 });
  });

  test('changes a plan and the styles, and sees before whom that changes something for', async () => {
    await visit('Plans');
    await page.getByLabel('Images at once of Plus').fill('3');
    await look('plans');
    const leaving = () =>
      page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Overview' }).click();
    await leaving();
    await dialog().getByText('Leave without publishing?').waitFor();
    await look('plans-leave');
    await inDialog('Keep').click();
    await dialog().waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Images at once of Plus').inputValue(), '3');
    await leaving();
    await inDialog('Leave').click();
    await heading('Overview').waitFor();
    await visit('Plans');
    assert.notEqual(await page.getByLabel('Images at once of Plus').inputValue(), '3');
    await page.getByLabel('Images at once of Plus').fill('3');
    await button('Review changes').click();
    await dialog().getByText('Plus changes').waitFor();
    await dialog()
      .getByText(/^, for \d+ accounts?$/)
      .waitFor();
    await look('plans-review');
    await inDialog('Publish the plans').click();
    await page.getByText('The plans are in force.').waitFor();
    const older = page.getByRole('combobox', { name: 'Start from an older version' });
    await page.getByLabel('Images at once of Plus').fill('7');
    assert.ok(await older.isDisabled(), 'it would take the place of the change');
    await button('Discard changes').click();
    await page.route('**/plans/versions/*', async (route) => {
      // The field changes while the answer for the older version is on its way.
      await page.getByLabel('Images at once of Plus').fill('8');
      await route.continue();
    });
    await older.click();
    const answered = page.waitForResponse('**/plans/versions/*');
    await page.getByRole('option').first().click();
    await (await answered).finished();
    await untilSettled(page);
    assert.equal(await page.getByLabel('Images at once of Plus').inputValue(), '8');
    await page.unroute('**/plans/versions/*');
    await button('Discard changes').click();
    await visit('Styles');
    await button('Remove Noir').click();
    await look('styles');
    await button('Review changes').click();
    await dialog().getByText('Noir goes').waitFor();
    await inDialog('Publish the styles').click();
    await page.getByText('The styles are in force.').waitFor();
  });

  test('reads who did what, and what was so before', async () => {
    await visit('Audit log');
    await page.getByText('Administration', { exact: true }).last().click();
    for (const text of ['Added a backend', 'Drained a backend', 'Published a model', 'Published styles'])
      await row(text).first().waitFor();
    assert.ok(await row('Published plans').first().getByText(who.email).isVisible());
    await look('audit');
    await row('Published a model')
      .filter({ hasText: 'portrait' })
      .first()
      .getByRole('button', { name: /Published a model, portrait$/ })
      .click();
    await dialog().locator('del').first().waitFor();
    await dialog().locator('ins').first().waitFor();
    await look('audit-act');
  });

  test('on pages that everybody can read and use, without an error in the browser', () => {
    assert.deepEqual(issues, []);
    // Expected errors: an invalid address; a price without a fresh sign-in; samples that were never requested.
    const expected = [
      /status of 400 .*\/administration\/backends\)$/,
      /status of 403 .*\/publish\)$/,
      /status of 404 .*\/sample\)$/,
    ];
    assert.deepEqual(
      visitor.errors.filter((text) => !expected.some((one) => one.test(text))),
      [],
    );
  });
});

function jsonFile(name: string, content: object) {
  return { name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) };
}

/** Drops a file on the page, as a person does by dragging it. */
async function dropFile(page: Page, name: string, bytes: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    `(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(bytes.toString('base64'))}), (one) => one.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'image/png' }));
      return data;
    })()`,
  );
  const main = page.getByRole('main');
  await main.dispatchEvent('dragover', { dataTransfer });
  await page.getByText('Let go to import it').waitFor();
  await main.dispatchEvent('drop', { dataTransfer });
}

/** Proves the person's identity again, in the tab that the console has opened for it. The tab closes itself. */
async function signInAgain(tab: Page, { password }: Person): Promise<void> {
  const closed = tab.waitForEvent('close');
  await tab.getByLabel('Password').fill(password);
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
  await closed;
}
