import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { until } from './page-views.ts';
import { consoleCallerOf } from './sample-account.ts';
import type { ConsoleWorld } from './world.ts';

const renderTimeoutMs = 90_000;
/** What of the mask is painted on the screen at a point in fractions of the picture: 0 to 255, -1 while there is no picture. */
const paintedAt = (x: number, y: number) => `(() => {
  const canvas = document.querySelector('canvas[role=application]');
  if (canvas === null) return -1;
  const [,,, alpha] = canvas.getContext('2d').getImageData(canvas.width * ${x}, canvas.height * ${y}, 1, 1).data;
  return alpha;
})()`;

/** What somebody finds who takes up what was made elsewhere, and who is quicker than the library. */
export function takenUpTests(at: () => { world: ConsoleWorld; page: Page }): void {
  const parts = () => {
    const { world, page } = at();
    const call = consoleCallerOf(world, page);
    const make = async (path: string, body: Record<string, unknown>): Promise<Generation> => {
      const { id } = await call<Generation>('POST', `/v1${path}`, body);
      for (;;) {
        const made = await call<Generation>('GET', `/v1/generations/${id}?wait=5`);
        if (made.status === 'succeeded') return made;
        assert.ok(made.status === 'queued' || made.status === 'running', JSON.stringify(made.error));
      }
    };
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const prompt = page.getByLabel('Prompt', { exact: true });
    const result = page.getByRole('region', { name: 'Result' });
    return { world, page, call, make, button, prompt, result };
  };
  const picture = { model: 'sketch-1', prompt: 'a hill at dawn' };
  /** The right half. */
  const halfMask = async () => {
    const black = sharp({ create: { width: 64, height: 64, channels: 3, background: '#000' } });
    const white = await sharp({ create: { width: 32, height: 64, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const png = await black
      .composite([{ input: white, left: 32, top: 0 }])
      .png()
      .toBuffer();
    return `data:image/png;base64,${png.toString('base64')}`;
  };

  test('sees the mask of an edit that was asked for elsewhere, and makes the same of it', async () => {
    const { world, page, make, button, prompt, result } = parts();
    const { outputs } = await make('/images/generations', picture);
    const edit = await make('/images/edits', {
      model: 'retouch-1',
      image: outputs[0]?.id,
      prompt: 'a tree',
      mode: 'inpaint',
      inpaint_type: 'fill',
      mask_blur: 0,
      mask: await halfMask(),
      options: { seed: 7 },
    });
    await page.goto(`${world.url}/console/generations/${edit.id}`);
    const sources = page.getByRole('list', { name: 'Made from', exact: true }).locator('li img');
    await until('source and mask are seen', async () => (await sources.count()) === 2);
    await page.goto(`${world.url}/console/playground?from=${edit.id}`);
    await page.getByRole('application', { name: 'Painting on the picture' }).waitFor();
    const isPainted = async (x: number) => (await page.evaluate<number>(paintedAt(x, 0.5))) > 200;
    await until('the mask is shown', () => isPainted(0.75));
    assert.equal(await page.evaluate(paintedAt(0.25, 0.5)), 0);
    // It is the page's own now: it is there after a reload too, whatever becomes of the upload.
    await world.platform.databases.service.execute(
      `update uploads set due_at = clock() where hidden and status = 'ready'`,
    );
    await page.reload();
    await until('the mask is there again', () => isPainted(0.75));
    await prompt.waitFor();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL((url) => ![null, edit.id].includes(url.searchParams.get('generation')));
    await result.getByText('Succeeded').first().waitFor({ timeout: renderTimeoutMs });
    const made = await result.locator('img').first().getAttribute('src');
    const [one, other] = await Promise.all(
      [edit.outputs[0]?.url ?? '', made ?? ''].map(async (url) => (await page.request.get(url)).body()),
    );
    assert.ok(one !== undefined && other !== undefined && one.equals(other));
    await button('Invert').click();
    await until('the other half is painted', () => isPainted(0.25));
    assert.equal(await isPainted(0.75), false);
    await button('Undo').click();
    await button('Undo').click();
    await until('nothing is painted', async () => !(await isPainted(0.75)) && !(await isPainted(0.25)));
    await button('Redo').click();
    await until('the mask is back', () => isPainted(0.75));
  });

  test('is told what becomes of a fill with words that the model cannot draw', async () => {
    const { world, page, make, prompt } = parts();
    const { outputs } = await make('/images/generations', picture);
    await page.goto(`${world.url}/console/playground?kind=image_edit&use=${outputs[0]?.id}&as=image`);
    await prompt.fill('a zebra at the piano');
    const hint = page.getByRole('status').filter({ hasText: 'names none of them' });
    const painted = page.getByRole('radio', { name: 'What I paint' });
    await painted.waitFor();
    // Whatever was chosen in the form before.
    await painted.check();
    await page.getByRole('radio', { name: 'Is refined' }).check();
    await hint.waitFor();
    assert.equal(await hint.filter({ hasText: 'its surroundings go on' }).count(), 0);
    await page.getByRole('radio', { name: 'Is filled anew' }).check();
    await hint.filter({ hasText: 'What is painted over goes, and its surroundings go on.' }).waitFor();
    await page.getByRole('radio', { name: 'The whole picture' }).check();
    await hint.waitFor({ state: 'detached' });
    await painted.check();
    await hint.waitFor();
    await prompt.fill('a castle and a red moon');
    await hint.waitFor({ state: 'detached' });
  });

  test('makes a favorite with a key that was pressed before the library answered', async () => {
    const { world, page, call, make, button, result } = parts();
    const { id, outputs } = await make('/images/generations', picture);
    const answer = Promise.withResolvers<void>();
    await page.route('**/v1/assets/images/*', async (route) => {
      if (route.request().method() === 'GET') await answer.promise;
      await route.continue();
    });
    await page.goto(`${world.url}/console/playground?generation=${id}`);
    await result.getByRole('button', { name: /^Show .* large$/ }).focus();
    await page.keyboard.press('f');
    answer.resolve();
    const favorite = async () => (await call<Asset>('GET', `/v1/assets/images/${outputs[0]?.id}`)).favorite;
    await until('it is a favorite', favorite);
    await until(
      'its heart says so',
      async () => (await button('Favorite').getAttribute('aria-pressed')) === 'true',
    );
    await page.unroute('**/v1/assets/images/*');
  });
}
