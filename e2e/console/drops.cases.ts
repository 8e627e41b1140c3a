import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UploadRow } from '@renderkit/contract/console/schemas/storage.ts';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { fetchImage } from './image-diff.ts';
import type { ConsoleWorld } from './world.ts';

const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

/** Tests what happens to files that a person drops on a page. */
export function dropTests(at: () => { world: ConsoleWorld; page: Page }): void {
  const parts = () => {
    const { world, page } = at();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    return { world, page, button, prompt: page.getByLabel('Prompt', { exact: true }) };
  };

  test('drops a WebP and an AVIF anywhere on the page, which are sent as PNG', async () => {
    const { world, page, prompt, button } = parts();
    await page.goto(`${world.url}/console/playground?kind=image_edit&model=retouch-1`);
    await prompt.waitFor();
    const picture = sharp({ create: { width: 96, height: 64, channels: 3, background: '#3377bb' } });
    for (const format of ['webp', 'avif'] as const) {
      const name = `dropped-${format}`;
      const file = await picture.clone().toFormat(format, { quality: 90 }).toBuffer();
      await page.evaluate(dropped(`${name}.${format}`, `image/${format}`, file));
      await button(`Remove ${name}.png`).waitFor();
      const rows = await page.request.get(`${world.url}/console/api/uploads`);
      const { data } = (await rows.json()) as { data: UploadRow[] };
      const { content_type: type, url } =
        data.find((row) => row.upload.file_name === `${name}.png`)?.upload ?? {};
      assert.equal(type, 'image/png');
      const { width, height, data: pixels } = await fetchImage(url ?? '');
      assert.deepEqual([width, height], [96, 64]);
      for (const [i, wanted] of [0x33, 0x77, 0xbb].entries())
        assert.ok(Math.abs((pixels[i] ?? 0) - wanted) <= 6, `${format}: ${pixels.subarray(0, 3).join(' ')}`);
    }
  });

  test('drops a picture where no field takes one, and edits it', async () => {
    const { world, page, prompt, button } = parts();
    await page.goto(`${world.url}/console/playground?kind=image&model=sketch-1`);
    await prompt.waitFor();
    const file = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#3377bb' } })
      .webp()
      .toBuffer();
    await page.evaluate(dropped('no-field.webp', 'image/webp', file));
    await button('Remove no-field.png').waitFor();
    assert.ok(await page.getByRole('radio', { name: 'Edit' }).isChecked());
    await page.evaluate(dropped('notes.txt', 'text/plain', Buffer.from('words')));
    await page.getByText('notes.txt is no image of a type that can be used').waitFor();
    await page.goto(`${world.url}/console/playground?kind=video&model=restyle-1`);
    await page.getByRole('group', { name: 'Source video' }).waitFor();
    await page.evaluate(dropped('clip.mp4', 'video/mp4', Buffer.from('no video')));
    await page.getByRole('group', { name: 'Source video' }).getByTitle('clip.mp4').waitFor();
  });

  test('leaves the form while a dropped picture is on its way, and is not brought back', async () => {
    const { world, page, prompt } = parts();
    await page.goto(`${world.url}/console/playground?kind=image&model=sketch-1`);
    await prompt.waitFor();
    const sent = Promise.withResolvers<undefined>();
    await page.route('**/v1/uploads', () => sent.resolve(undefined));
    const aborted = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/uploads'));
    await page.evaluate(dropped('left.png', 'image/png', tinyPng));
    await sent.promise;
    await page.getByRole('link', { name: 'Library', exact: true }).click();
    await aborted;
    await page.getByText('left.png was not uploaded, since you left its form.').waitFor();
    await page.unroute('**/v1/uploads');
    assert.equal(new URL(page.url()).pathname, '/console/library');
  });

  test('takes a picture of the library while a file is on its way, which does not take its place later', async () => {
    const { world, page, prompt, button } = parts();
    await page.goto(`${world.url}/console/playground?kind=image_edit&model=retouch-1`);
    await prompt.waitFor();
    const sent = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<undefined>();
    await page.route('**/v1/uploads', async (route) => {
      sent.resolve(undefined);
      await answer.promise;
      await route.continue().catch(() => undefined);
    });
    await page.evaluate(dropped('late.png', 'image/png', tinyPng));
    await sent.promise;
    await page
      .getByRole('button', { name: /from the library/ })
      .first()
      .click();
    const choice = page.getByRole('dialog').getByRole('list').getByRole('button').first();
    await choice.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('progressbar', { name: 'Sending late.png' }).waitFor({ state: 'detached' });
    answer.resolve(undefined);
    await page.unrouteAll({ behavior: 'wait' });
    // An answer that still had an effect would show it by now.
    await page.waitForTimeout(300);
    assert.equal(await button('Remove late.png').count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Remove / }).count(), 1);
  });

  test('pastes words that are on the clipboard as a picture, too, and a picture alone', async () => {
    const { world, page, prompt, button } = parts();
    await page.goto(`${world.url}/console/playground?kind=image_edit&model=retouch-1`);
    await prompt.focus();
    assert.equal(
      await page.evaluate(pasted('cells.png', tinyPng, 'two words')),
      false,
      'the browser pastes it',
    );
    assert.equal(await page.evaluate(pasted('alone.png', tinyPng)), true);
    await button('Remove alone.png').waitFor();
    assert.equal(await page.getByText('cells.png').count(), 0);
  });

  test('drops a file where nothing takes one, on an address that is not there, and stays there', async () => {
    const { world, page } = parts();
    await page.goto(`${world.url}/console/nothing/here`);
    await page.getByText('There is no page at this address').waitFor();
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
    assert.equal(await page.evaluate(dropped('stray.png', 'image/png', tinyPng)), true);
  });
}

/** Returns a script that drops a file on the heading of the page, where no field is. */
function dropped(name: string, type: string, file: Buffer): string {
  return `(() => {
    const bytes = Uint8Array.from(atob('${file.toString('base64')}'), (sign) => sign.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], '${name}', { type: '${type}' }));
    return ['dragover', 'drop'].every((event) => !document.querySelector('h1')
      .dispatchEvent(new DragEvent(event, { bubbles: true, cancelable: true, dataTransfer })));
  })()`;
}

/**
 * Returns a script that pastes a picture, and words if given, at the focus. Its value is true when the page accepted
 * the paste.
 */
function pasted(name: string, file: Buffer, words?: string): string {
  return `(() => {
    const bytes = Uint8Array.from(atob('${file.toString('base64')}'), (sign) => sign.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], '${name}', { type: 'image/png' }));
    ${words === undefined ? '' : `clipboardData.setData('text/plain', '${words}');`}
    return !document.activeElement
      .dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }));
  })()`;
}
