import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { consoleCallerOf } from './sample-account.ts';
import type { ConsoleWorld } from './world.ts';

const renderTimeoutMs = 90_000;
/**
 * Returns how much of the mask is painted at a point, given in fractions of the picture: 0 to 255, or -1 while there is
 * no picture.
 */
const paintedAt = (x: number, y: number) => `(() => {
  const canvas = document.querySelector('canvas[role=application]');
  if (canvas === null) return -1;
  const [,,, alpha] = canvas.getContext('2d').getImageData(canvas.width * ${x}, canvas.height * ${y}, 1, 1).data;
  return alpha;
})()`;
/** Whether a form that is stored in this browser has an upload for its mask. */
const namesUpload = `Object.values({ ...localStorage }).some((text) => text.includes('"mask":"upl_'))`;

/** Tests a person who continues work from elsewhere, and one who is faster than the library. */
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
  type Color = { r: number; g: number; b: number; alpha: number };
  const white: Color = { r: 255, g: 255, b: 255, alpha: 1 };
  /** Makes a mask that is black in its left half and colored in its right half. */
  const halfMask = async (color = white) => {
    const pixel = [color.r, color.g, color.b, color.alpha * 255];
    const row = Array.from({ length: 64 }, (_, x) => (x < 32 ? [0, 0, 0, 255] : pixel)).flat();
    const rows = Buffer.from(Array.from({ length: 64 }, () => row).flat());
    const png = await sharp(rows, { raw: { width: 64, height: 64, channels: 4 } })
      .png()
      .toBuffer();
    return `data:image/png;base64,${png.toString('base64')}`;
  };
  const maskedEdit = async (color?: Color) => {
    const { make } = parts();
    const { outputs } = await make('/images/generations', picture);
    return make('/images/edits', {
      model: 'retouch-1',
      image: outputs[0]?.id,
      prompt: 'a tree',
      mode: 'inpaint',
      inpaint_type: 'fill',
      mask_blur: 0,
      mask: await halfMask(color),
      options: { seed: 7 },
    });
  };
  /** Runs the form, and returns the mask that is sent. */
  const maskRun = async () => {
    const { page, result, prompt } = parts();
    const before = new URL(page.url()).searchParams.get('generation');
    await prompt.waitFor();
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/v1/images/edits'),
    );
    await page.keyboard.press('Control+Enter');
    const { mask } = (await sent).postDataJSON() as { mask: string };
    await page.waitForURL((url) => ![null, before].includes(url.searchParams.get('generation')));
    await result.getByText('Succeeded').first().waitFor({ timeout: renderTimeoutMs });
    return mask;
  };

  test('sees the mask of an edit that was asked for elsewhere, and makes the same of it', async () => {
    const { world, page, button, prompt, result } = parts();
    const edit = await maskedEdit();
    await page.goto(`${world.url}/console/generations/${edit.id}`);
    const sources = page.getByRole('list', { name: 'Made from', exact: true }).locator('li img');
    await until('source and mask are seen', async () => (await sources.count()) === 2);
    await page.goto(`${world.url}/console/playground?from=${edit.id}`);
    await page.getByRole('application', { name: 'Painting on the picture' }).waitFor();
    const isPainted = async (x: number) => (await page.evaluate<number>(paintedAt(x, 0.5))) > 200;
    await until('the mask is shown', () => isPainted(0.75));
    assert.equal(await page.evaluate(paintedAt(0.25, 0.5)), 0);
    // The mask now belongs to the page: it is there after a reload too, even when the upload is gone.
    await world.platform.databases.service.execute(
      `update uploads set due_at = clock() where hidden and status = 'ready'`,
    );
    await page.reload();
    await until('the mask is there again', () => isPainted(0.75));
    // A run before that gets the error that the upload is gone, and must be repeated.
    await until(
      'the form names the upload no longer',
      async () => !(await page.evaluate<boolean>(namesUpload)),
    );
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

  test('sends a mask that was taken up as it is, in the grey in which it is shown, until it is painted on', async () => {
    const { world, page, button } = parts();
    const edit = await maskedEdit({ r: 255, g: 0, b: 0, alpha: 1 });
    await page.goto(`${world.url}/console/playground?from=${edit.id}`);
    const painted = (x: number) => page.evaluate<number>(paintedAt(x, 0.5));
    await until('the mask is shown', async () => (await painted(0.75)) > 0);
    const shown = await painted(0.75);
    assert.ok(Math.abs(shown - 127) <= 2, `${shown}`);
    const sent = await maskRun();
    assert.match(sent, /^upl_/);
    await button('Invert').click();
    await until('the other half is painted', async () => (await painted(0.25)) > 200);
    await button('Undo').click();
    await until('it is not any more', async () => (await painted(0.25)) === 0);
    assert.equal(await maskRun(), sent);
  });

  test('sends a mask that a canvas would read otherwise as it is, and shows none', async () => {
    const { world, page, button } = parts();
    const edit = await maskedEdit({ ...white, alpha: 0 });
    await page.goto(`${world.url}/console/playground?from=${edit.id}`);
    const told = page.getByText('The mask of the earlier run is used');
    await told.waitFor();
    assert.match(await maskRun(), /^upl_/);
    await told.waitFor();
    assert.equal(await button('Undo').isEnabled(), false);
  });

  test('paints on while the mask arrives, and finds it again where it cannot be read any more', async () => {
    const { world, page, button } = parts();
    const edit = await maskedEdit();
    const answer = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const masks = /\/console\/(?:.*\/)?masks\/upl_/;
    await page.route(masks, async (route) => {
      asked.resolve();
      await answer.promise;
      await route.continue();
    });
    await page.goto(`${world.url}/console/playground?from=${edit.id}`);
    await asked.promise;
    const canvas = page.getByRole('application', { name: 'Painting on the picture' });
    await canvas.waitFor();
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    assert.ok(box);
    const spot = (x: number) => [box.x + box.width * x, box.y + box.height / 2] as const;
    await page.mouse.move(...spot(0.2));
    await page.mouse.down();
    await page.mouse.move(...spot(0.3), { steps: 4 });
    const isPainted = async (x: number) => (await page.evaluate<number>(paintedAt(x, 0.5))) > 200;
    await until('the stroke is seen', () => isPainted(0.25));
    answer.resolve();
    await until('the mask is there', () => isPainted(0.75));
    await page.mouse.up();
    await until('both are', async () => (await isPainted(0.25)) && (await isPainted(0.75)));
    await button('Undo').click();
    await until('the stroke is taken back', async () => !(await isPainted(0.25)));
    assert.equal(await isPainted(0.75), true);
    await page.unroute(masks);
    // As in a browser that has lost a part of its storage.
    await page.goto(`${world.url}/console/library`);
    const changed = await page.evaluate<number>(`(() => {
      const found = Object.keys(localStorage).filter((key) => localStorage[key].includes('"png":"data:'));
      for (const key of found)
        localStorage[key] = localStorage[key].replaceAll(/"png":"data:[^"]*"/g, '"png":"data:image/png;base64,AAAA"');
      return found.length;
    })()`);
    assert.ok(changed > 0);
    await page.goto(`${world.url}/console/playground?kind=image_edit`);
    await until('the mask is there again', () => isPainted(0.75));
  });

  test('is told what becomes of a fill with words that the model cannot draw', async () => {
    const { world, page, make, prompt } = parts();
    const { outputs } = await make('/images/generations', picture);
    await page.goto(`${world.url}/console/playground?kind=image_edit&use=${outputs[0]?.id}&as=image`);
    await prompt.fill('a zebra at the piano');
    const hint = page.getByRole('status').filter({ hasText: 'names none of them' });
    const painted = page.getByRole('radio', { name: 'What I paint' });
    await painted.waitFor();
    // The form may still have another choice from before.
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

  test('makes a favorite with a key that was pressed before the library answered, and never undoes one', async () => {
    const { world, page, call, make, button, result } = parts();
    const { id, outputs } = await make('/images/generations', picture);
    const path = `/v1/assets/images/${outputs[0]?.id}`;
    const favorite = async () => (await call<Asset>('GET', path)).favorite;
    for (const before of [false, true]) {
      assert.equal(await favorite(), before);
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      await page.route('**/v1/assets/images/*', async (route) => {
        if (route.request().method() === 'GET') {
          asked.resolve();
          await answer.promise;
        }
        await route.continue();
      });
      await page.goto(`${world.url}/console/playground?generation=${id}`);
      await result.getByRole('button', { name: /^Show .* large$/ }).focus();
      await asked.promise;
      const written = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await page.keyboard.press('f');
      answer.resolve();
      assert.deepEqual((await written).request().postDataJSON(), { favorite: true });
      await page.unroute('**/v1/assets/images/*');
      assert.equal(await favorite(), true);
      await until(
        'its heart says so',
        async () => (await button('Favorite').getAttribute('aria-pressed')) === 'true',
      );
    }
  });

  test('does nothing later for a key that the library did not answer', async () => {
    const { world, page, make, button, result } = parts();
    const { id } = await make('/images/generations', picture);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await page.route('**/v1/assets/images/*', async (route) => {
      asked.resolve();
      await answer.promise;
      await route.fulfill({ status: 503 });
    });
    const writes: unknown[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && void writes.push(request.postDataJSON()));
    await page.goto(`${world.url}/console/playground?generation=${id}`);
    await result.getByRole('button', { name: /^Show .* large$/ }).focus();
    await asked.promise;
    await page.keyboard.press('f');
    answer.resolve();
    await button('Favorite').waitFor({ state: 'detached' });
    await page.unroute('**/v1/assets/images/*');
    // When the person comes back to the window, the failed request is repeated.
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await button('Favorite').waitFor();
    assert.equal(await button('Favorite').getAttribute('aria-pressed'), 'false');
    const written = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await button('Favorite').click();
    await written;
    assert.deepEqual(writes, [{ favorite: true }]);
  });
}
