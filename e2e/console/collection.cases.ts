import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import type { ConsoleWorld } from './world.ts';

/** Tests how a person works with many items: the library, projects, generations, and the keys that open these pages. */
export function collectionTests(at: () => { world: ConsoleWorld; page: Page }): void {
  test('chooses several pictures, saves them as an archive, and moves them into a new project', async () => {
    const { page, dialog, chosen, heading, visit } = tools(at());
    await visit('Library');
    const boxes = page.getByRole('list', { name: 'Items' }).getByRole('checkbox');
    await boxes.first().check();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await chosen.getByText('3 items chosen').waitFor();
    const coming = page.waitForEvent('download');
    await chosen.getByRole('link', { name: 'Download' }).click();
    const archive = await readFile(await (await coming).path());
    assert.equal(archive.subarray(0, 4).toString('latin1'), 'PK\x03\x04');
    assert.match(archive.toString('latin1'), /a-hill-\w+\.\w+/);
    await chosen.getByRole('button', { name: 'Move to a project' }).click();
    await dialog().getByPlaceholder('Choose a project').click();
    await page.getByRole('option', { name: 'A new project…' }).click();
    await dialog().getByLabel('Its title').fill('Harbour series');
    await dialog().getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('3 items moved.').waitFor();
    await visit('Projects');
    await page.getByRole('link', { name: /Harbour series/ }).click();
    await heading('Harbour series').waitFor();
    await until('three items in it', async () => (await boxes.count()) === 3);
    await page.keyboard.press('Tab');
    await boxes.first().focus();
    await page.keyboard.press('Space');
    await chosen.getByText('1 item chosen').waitFor();
    await page.keyboard.press('Control+a');
    await chosen.getByText('3 items chosen').waitFor();
    await page.keyboard.press('Escape');
    await chosen.waitFor({ state: 'detached' });
  });

  test('is told how a picture came to be, and sees what it was made from', async () => {
    const { page, dialog, visit, world } = tools(at());
    await visit('Library');
    await page.getByLabel('Search by prompt').fill('red balloon');
    await page.waitForURL(/search=red/);
    // Waits until the earlier items are gone, so that nothing is clicked while the list changes.
    await page
      .getByRole('button', { name: /^Show (?!.*red balloon)/ })
      .first()
      .waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Show Image.*red balloon/ }).click();
    await dialog().getByText('retouch-1').waitFor();
    await dialog().getByRole('link', { name: 'Source' }).click();
    await dialog().getByText('sketch-1').waitFor();
    const children = dialog().getByRole('list', { name: 'Made from it' }).getByRole('link');
    await children.first().click();
    await dialog().getByText('retouch-1').waitFor();
    await dialog().getByRole('link', { name: 'See the generation' }).click();
    await page.getByRole('region', { name: 'How it was made' }).getByText('retouch-1').waitFor();
    await page
      .getByRole('list', { name: 'Made from', exact: true })
      .getByRole('link', { name: 'Source' })
      .click();
    await dialog().getByText('sketch-1').waitFor();
    const address = await dialog().getByRole('link', { name: 'Download' }).getAttribute('href');
    const saved = await page.request.get(new URL(address ?? '', world.url).href);
    assert.match(
      saved.headers()['content-disposition'] ?? '',
      /^attachment; filename="a-harbour-in-the-evening-\w+\.\w+"/,
    );
    assert.match(saved.headers()['content-type'] ?? '', /^image\//);
    await page.keyboard.press('Escape');
    await page.getByLabel('Made on or before').fill('2020-01-01');
    await page.getByText('Nothing in the library is like that').waitFor();
    for (const [ids, status] of [
      ['ast_none', 404],
      ['', 400],
      [Array.from({ length: 101 }, (_, i) => `ast_${i}`).join(','), 400],
    ] as const) {
      const answer = await page.request.get(`${world.url}/console/api/library/download?ids=${ids}`);
      assert.equal(answer.status(), status, ids.slice(0, 20));
    }
  });

  test('lets saved files say how they were made, and changes no pixel by that', async () => {
    const { page, visit, world } = tools(at());
    const { data } = (await (
      await page.request.get(`${world.url}/console/api/library?search=red%20balloon`)
    ).json()) as { data: { asset: { id: string } }[] };
    const id = data[0]?.asset.id ?? '';
    const save = async (ids: string) => {
      const answer = await page.request.get(`${world.url}/console/api/library/download?ids=${ids}`);
      assert.equal(answer.status(), 200);
      return answer.body();
    };
    const plain = await save(id);
    await visit('Connection');
    const choice = page.getByRole('switch', { name: 'Files say how they were made' });
    const choose = async (wanted: boolean) => {
      await choice.click();
      await until(
        'it was changed',
        async () => (await choice.isEnabled()) && (await choice.isChecked()) === wanted,
      );
    };
    await choose(true);
    const told = await save(id);
    const packet = (await sharp(told).metadata()).xmp?.toString() ?? '';
    assert.match(packet, /<rdf:li xml:lang="x-default">[^<]*red balloon/);
    assert.match(packet, /"model":"retouch-1","model_version":\d+,"seed":\d+/);
    assert.doesNotMatch(packet, /ast_|upl_|prj_/);
    const [before, after] = await Promise.all([plain, told].map((file) => sharp(file).raw().toBuffer()));
    assert.ok(before !== undefined && after !== undefined && before.equals(after));
    await page.reload();
    await until('it is still chosen', () => choice.isChecked());
    await choose(false);
    assert.ok((await save(id)).equals(plain));
  });

  test('goes on typing what is searched for after the list has followed', async () => {
    const { page, visit, button } = tools(at());
    for (const [name, words] of [
      ['Library', ['red', ' balloon']],
      // Outside of a field these keys would open other pages: `g` and `l` the library.
      ['Generations', ['harb', ' gl']],
      ['Projects', ['harb', ' gk']],
    ] as const) {
      await visit(name);
      const field = page.getByLabel(/^Search by /);
      await field.click();
      await page.keyboard.type(words[0]);
      await page.waitForURL((url) => url.searchParams.get('search') === words[0]);
      await page.keyboard.type(words[1]);
      assert.equal(await field.inputValue(), words.join(''));
      await page.waitForURL((url) => url.searchParams.get('search') === words.join(''));
      assert.equal(new URL(page.url()).pathname, `/console/${name.toLowerCase()}`);
      assert.equal(await page.evaluate<string>('document.activeElement.type'), 'search');
    }
    // Other changes of the address change the field too.
    await button('Clear the filters').click();
    await until('it is empty', async () => (await page.getByLabel(/^Search by /).inputValue()) === '');
  });

  test('finds generations by words and days, and runs several again or cancels them', async () => {
    const { page, dialog, chosen, row, button, visit } = tools(at());
    await visit('Generations');
    await page.getByLabel('Search by prompt').fill('harb eve');
    await page.waitForURL(/search=harb/);
    const rows = page.getByRole('table', { name: 'Generations' }).locator('tbody tr');
    await until('one is found', async () => (await rows.count()) === 1);
    await row('a harbour in the evening').getByRole('checkbox').check();
    await chosen.getByRole('button', { name: 'Run again' }).click();
    await dialog().getByRole('button', { name: 'Run again' }).click();
    await page.getByText('1 generation sent again.').waitFor();
    await until('it is there twice', async () => (await rows.count()) === 2);
    await rows.first().getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.getByLabel('Made on or before').fill('2020-01-01');
    await page.getByText('No generation is like that').waitFor();
    await button('Clear the filters').click();
    await row('a harbour in the evening').first().waitFor();
  });

  test('goes by keys alone to pages and to what is searched for', async () => {
    const { page, dialog, heading } = tools(at());
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    await dialog().getByText('Open the command palette').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await heading('Projects').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).fill('lighthouse');
    await page.getByRole('option', { name: 'Search the library for “lighthouse”' }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Library').waitFor();
    await page.waitForURL(/search=lighthouse/);
    await dialog().waitFor({ state: 'detached' });
  });
}

function tools({ world, page }: { world: ConsoleWorld; page: Page }) {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  return {
    world,
    page,
    heading,
    dialog: () => page.getByRole('dialog'),
    chosen: page.getByRole('region', { name: /^Chosen (items|generations)$/ }),
    row: (text: string) => page.getByRole('row').filter({ hasText: text }),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    /** Opens a page by its link in the navigation. */
    visit: async (name: string) => {
      await page
        .getByRole('navigation', { name: 'Console' })
        .getByRole('link', { name, exact: true })
        .click();
      await heading(name).waitFor();
    },
  };
}
