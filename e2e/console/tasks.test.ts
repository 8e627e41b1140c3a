import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Locator, Page } from 'playwright-core';
import { noBrowser } from '../harness/browser.ts';
import { type Hand, handOn } from './hand.ts';
import { leave } from './leave.ts';
import { beginToCreate, type ConsoleWorld, type Person, sharedConsoleWorld, signIn } from './world.ts';

const table = new URL('../../docs/console-tasks.md', import.meta.url);
/** The longest that four small pictures may take on a busy machine. */
const renderTimeoutMs = 90_000;
/** The number of actions on a picture that have a key. */
const keysOfPicture = 9;
/** Presses of the Tab key from the heading to Run. */
const maxTabStops = 10;

describe('a person makes pictures in the console', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let who: Person;
  let page: Page;
  let limits: Map<string, number>;
  const measured = new Set<string>();
  before(async () => {
    limits = rowsOf(await readFile(table, 'utf8'));
    world = await sharedConsoleWorld();
    ({ who, page } = await beginToCreate(world));
  });
  after(() => leave(world, who, page));

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const result = () => page.getByRole('region', { name: 'Result' });
  const prompt = () => page.getByLabel('Prompt', { exact: true });
  const shown = () => new URL(page.url()).searchParams.get('generation') ?? '';
  const kind = (name: string) =>
    page.getByRole('radiogroup', { name: 'What to make' }).getByText(name, { exact: true });
  /**
   * Waits for the form that an action puts in place of this one: text typed before that would be lost with the old
   * form.
   */
  const anotherForm = async (act: () => Promise<void>) => {
    const old = await prompt().elementHandle();
    await act();
    await old?.waitForElementState('hidden');
    await prompt().waitFor();
  };
  const made = () => result().getByText('Succeeded').first().waitFor({ timeout: renderTimeoutMs });
  const large = (at = 0) =>
    result()
      .getByRole('button', { name: /^Show .* large$/ })
      .nth(at);

  /** Does a task, counts its clicks and keys, and compares them with the table. */
  const task = async (name: string, act: (hand: Hand) => Promise<void>) => {
    const hand = handOn(page);
    await act(hand);
    const most = limits.get(name);
    assert.ok(most !== undefined, `docs/console-tasks.md has no task "${name}"`);
    assert.ok(hand.count() <= most, `"${name}" took ${hand.count()} clicks and keys, of ${most}`);
    measured.add(name);
  };
  /** Waits until another generation is shown, and is finished. */
  const another = async (last: string) => {
    await page.waitForURL(() => shown() !== last);
    await made();
  };

  test('runs what is written, and reaches Run in few stops of the Tab key', async () => {
    await prompt().fill('a harbour in the evening');
    await task('Run what is written', async ({ key }) => {
      await key('Control+Enter');
      await another('');
    });
    const toRun = async () => {
      const stops: string[] = [];
      while (stops.at(-1) !== 'Run' && stops.length <= maxTabStops) {
        await page.keyboard.press('Tab');
        stops.push(await page.evaluate<string>('document.activeElement.textContent'));
      }
      assert.ok(stops.length <= maxTabStops, stops.join(', '));
    };
    await page.getByRole('heading', { level: 1 }).focus();
    await toRun();
    // The state after a reload, in which nothing has the focus yet.
    await page.reload();
    await prompt().waitFor();
    await toRun();
  });

  test('is told how it was made as soon as it is there', async () => {
    await large().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^sketch-1, version \d+$/).waitFor();
    for (const fact of ['Seed', 'Cost', 'Time', 'Backend'])
      await dialog.getByText(fact, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('reads it in the typeface that comes with the console, whatever the machine has', async () => {
    const loaded =
      '[...document.fonts].filter((face) => face.status === "loaded").map((face) => face.family)';
    const families = () => page.evaluate<string[]>(loaded);
    await until('the typeface is there', async () =>
      (await families()).some((family) => family.includes('Figtree Variable')),
    );
    const first = await page.evaluate<string>('getComputedStyle(document.querySelector("h1")).fontFamily');
    assert.match(first, /^"Figtree Variable"/);
  });

  test('sees it as large as the window has room', async () => {
    const runs = page.getByRole('navigation', { name: 'Recent runs' });
    await until('it has the room', async () => {
      const [box, canvas] = [await large().boundingBox(), await runs.boundingBox()];
      return box !== null && box.height >= 500 && box.y + box.height <= 900 && (canvas?.width ?? 0) >= 900;
    });
  });

  test('runs the same again, with the same bytes', async () => {
    const last = shown();
    const first = await outputAddress(result());
    await task('Run the same again', async ({ click }) => {
      await click(button('Same again'));
      await another(last);
    });
    const second = await outputAddress(result());
    assert.notEqual(second, first);
    const [one, other] = await Promise.all(
      [first, second].map(async (url) => (await page.request.get(url)).body()),
    );
    assert.ok(one !== undefined && other !== undefined && one.equals(other));
  });

  test('goes back to an earlier prompt, keeps its seed, and takes its request up again', async () => {
    await prompt().fill('a hill at noon');
    const last = shown();
    await page.keyboard.press('Control+Enter');
    await another(last);
    await prompt().fill('');
    await task('Take up an earlier prompt', async ({ key }) => {
      await key('ArrowUp');
    });
    assert.equal(await prompt().inputValue(), 'a hill at noon');
    await page.keyboard.press('ArrowUp');
    assert.equal(await prompt().inputValue(), 'a harbour in the evening');
    await task('Keep the seed of a result', async ({ click }) => {
      await click(button('Keep the seed of the result'));
    });
    assert.match(await page.getByRole('textbox', { name: 'Seed' }).inputValue(), /^\d+$/);
    await task('Put a request back into the form', async ({ click }) => {
      await click(button('Put its request into the form'));
      await until('the prompt is back', async () => (await prompt().inputValue()) === 'a hill at noon');
    });
    // Works a second time too, although the address already names the request.
    await prompt().fill('something else');
    await button('Put its request into the form').click();
    await until('it is back again', async () => (await prompt().inputValue()) === 'a hill at noon');
    await button('Random seed').click();
  });

  test('loses nothing by a reload, by leaving the page, and by signing in again', async () => {
    await prompt().fill('written and not run');
    await page.getByRole('radio', { name: '16:9' }).check();
    await page.reload();
    await prompt().waitFor();
    assert.equal(await prompt().inputValue(), 'written and not run');
    await anotherForm(() => kind('Edit').click());
    await prompt().fill('words of an edit');
    await page.getByRole('link', { name: 'Library', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    // Another person who signs in here sees nothing of it.
    await page.context().clearCookies();
    await signIn(world, page, await world.person(), '/console/playground');
    await prompt().waitFor();
    assert.equal(await prompt().inputValue(), '');
    assert.equal(await button('Earlier prompts').count(), 0);
    await page.context().clearCookies();
    await signIn(world, page, who, '/console/playground');
    await prompt().waitFor();
    assert.equal(await prompt().inputValue(), 'words of an edit');
    await kind('Image').click();
    await until('the form of pictures', async () => (await prompt().inputValue()) === 'written and not run');
    assert.ok(await page.getByRole('radio', { name: '16:9' }).isChecked());
  });

  test('runs four at once, and sees them side by side where the window is wide', async () => {
    await page.goto(`${world.url}/console/playground?kind=image&model=sketch-1`);
    await prompt().fill('four hills');
    await page.getByRole('radio', { name: '1:1' }).check();
    await task('Run it four times', async ({ click }) => {
      await click(button('Run several'));
      // Each run is charged, and the menu shows the total price.
      await click(page.getByRole('menuitem', { name: /^Run 4 times\s*\d+ credits$/ }));
      await large(3).waitFor({ timeout: renderTimeoutMs });
    });
    await page.setViewportSize({ width: 2560, height: 1440 });
    await until('they stand in one row, which they fill', async () => {
      const boxes = await Promise.all([0, 1, 2, 3].map((at) => large(at).boundingBox()));
      const canvas = await page.getByRole('navigation', { name: 'Recent runs' }).boundingBox();
      const filled = boxes.reduce((sum, box) => sum + (box?.width ?? 0), 0);
      return new Set(boxes.map((box) => box?.y)).size === 1 && canvas !== null && filled > canvas.width * 0.9;
    });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('compares two, keeps one, and discards the others', async () => {
    const compare = result().getByRole('button', { name: 'Compare', exact: true });
    await task('Compare two results', async ({ click }) => {
      await click(compare.nth(0));
      await click(compare.nth(2));
      await page.getByRole('dialog').getByRole('slider').waitFor();
    });
    await page.keyboard.press('Escape');
    await task('Keep one and discard the others', async ({ click }) => {
      await click(result().getByRole('button', { name: 'Keep', exact: true }).nth(1));
      await click(button('Discard the other 3'));
      await until('one is left', async () => (await large(1).count()) === 0);
    });
    await button('Undo').click();
    await until('they are back', async () => (await large(3).count()) === 1);
    const discard = result().getByRole('button', { name: 'Discard', exact: true });
    const deleted = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await discard.nth(3).click();
    assert.equal((await deleted).status(), 200);
    await until(
      'three are left after a reload, too, though four are named by their generations',
      async () => {
        await page.reload();
        await large(2).waitFor();
        return (await large(3).count()) === 0;
      },
    );
    await result().getByRole('button', { name: 'Keep', exact: true, pressed: true }).waitFor();
  });

  test('does with a result what there is to do, by keys', async () => {
    const picture = large();
    // The keys of a library item work on a result once the library has answered.
    await result().getByRole('button', { name: 'Favorite', exact: true }).first().waitFor();
    await task('Make a result a favorite', async ({ key }) => {
      await picture.focus();
      await key('f');
      await result().getByRole('button', { name: 'Favorite', pressed: true }).first().waitFor();
    });
    await task('Copy the link of a result', async ({ key }) => {
      await picture.focus();
      await key('l');
      await page.getByText('The link was copied.').waitFor();
    });
    assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^http/);
    await task('Download a result', async ({ key }) => {
      await picture.focus();
      const download = page.waitForEvent('download');
      await key('d');
      assert.match((await download).suggestedFilename(), /\.(png|webp|jpe?g)$/);
    });
    for (const [name, by, form] of [
      ['Use a result as a reference', 'r', 'Image'],
      ['Turn a result into a video', 'a', 'Video'],
      ['Edit a result', 'e', 'Edit'],
    ] as const)
      await task(name, async ({ key }) => {
        await picture.focus();
        await key(by);
        await until(`the form of ${form}`, () => page.getByRole('radio', { name: form }).isChecked());
        await page
          .getByRole('button', { name: /^Remove / })
          .first()
          .waitFor();
      });
  });

  test('is offered no same again by a model that has no seed', async () => {
    await page.goto(`${world.url}/console/playground?kind=image&model=papercut-studio`);
    await prompt().fill('a paper hill');
    await page.keyboard.press('Control+Enter');
    await another('');
    await button('Run again').waitFor();
    assert.equal(await button('Same again').count(), 0);
  });

  test('takes up an edit with the mask that was painted for it, and makes the same of it', async () => {
    await page.goto(`${world.url}/console/playground?kind=image&model=sketch-1`);
    await prompt().fill('a hill to paint on');
    await page.keyboard.press('Control+Enter');
    await another('');
    await large().focus();
    await page.keyboard.press('e');
    await page.getByRole('radio', { name: 'What I paint' }).check();
    const canvas = page.getByRole('application', { name: 'Painting on the picture' });
    await canvas.focus();
    for (const key of ['Space', 'Alt+ArrowRight', 'Alt+ArrowDown']) await page.keyboard.press(key);
    await prompt().fill('a tree');
    const source = shown();
    await page.keyboard.press('Control+Enter');
    await another(source);
    const edit = shown();
    const first = await outputAddress(result());
    await button('Clear the form').click();
    await until('the form is empty', async () => (await prompt().inputValue()) === '');
    await button('Put its request into the form').click();
    await canvas.waitFor();
    await until('what was painted can be undone', () => button('Undo').isEnabled());
    await page.keyboard.press('Control+Enter');
    await another(edit);
    const second = await outputAddress(result());
    assert.notEqual(second, first);
    const [one, other] = await Promise.all(
      [first, second].map(async (url) => (await page.request.get(url)).body()),
    );
    assert.ok(one !== undefined && other !== undefined && one.equals(other));
  });

  test('is told that the mask of an earlier run is gone, and paints it anew', async () => {
    const again = shown();
    // As in another browser, which knows only the name.
    await page.evaluate(
      `for (const key of Object.keys(localStorage)) if (key.startsWith('renderkit-')) localStorage.removeItem(key)`,
    );
    const takeUp = () => page.goto(`${world.url}/console/playground?from=${again}`);
    await takeUp();
    await until('its mask is shown', () => button('Undo').isEnabled());
    await world.platform.databases.service.execute(
      `update uploads set due_at = clock() where hidden and status = 'ready'`,
    );
    await takeUp();
    await page.getByText('The mask of the earlier run is no longer kept. Paint it anew.').waitFor();
    assert.equal(await button('Undo').isEnabled(), false);
    await page.getByRole('application', { name: 'Painting on the picture' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+Enter');
    await another('');
  });

  test('finds every key of a result in the list of keys, and pages by theirs', async () => {
    await page.goto(`${world.url}/console/playground`);
    await page.getByRole('navigation', { name: 'Recent runs' }).getByRole('link').first().click();
    const keysShown = () =>
      result()
        .locator('[aria-keyshortcuts]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('aria-keyshortcuts') ?? ''));
    await until('all of its keys are there', async () => (await keysShown()).length >= keysOfPicture);
    const keys = await keysShown();
    await large().focus();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    const section = dialog.getByRole('region', { name: 'At a result' });
    await section.waitFor();
    const listed = await section.locator('kbd').allInnerTexts();
    assert.deepEqual(
      keys.filter((key) => !listed.includes(key)),
      [],
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await large().focus();
    // The key alone copies a link.
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
  });

  test('takes up the request of a picture in the library', async () => {
    await page.goto(`${world.url}/console/library?search=noon`);
    await page
      .getByRole('list', { name: 'Items' })
      .getByRole('button', { name: /^Show Image/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'Take up its request' }).click();
    await until('its words are in the form', async () => (await prompt().inputValue()) === 'a hill at noon');
    const seed = page.getByRole('textbox', { name: 'Seed' });
    await until('so is its seed', async () => /^\d+$/.test(await seed.inputValue()));
  });

  test('chooses another model, and finds a picture again', async () => {
    await kind('Image').click();
    await task('Choose another model', async ({ click }) => {
      await click(button(/Change/));
      await click(
        page
          .getByRole('dialog')
          .getByRole('button', { name: /^P?.*Atelier/ })
          .first(),
      );
      await page.waitForURL(/model=atelier-1/);
    });
    await task('Find a picture of yesterday', async ({ click }) => {
      await click(page.getByRole('link', { name: 'Library', exact: true }));
      await click(page.getByLabel('Search by prompt'));
      await page.keyboard.type('evening');
      const tile = page.getByRole('list', { name: 'Items' }).getByRole('button', { name: /^Show Image/ });
      await until('the others are gone', async () => (await tile.count()) === 2);
      await click(tile.first());
      await page.getByRole('dialog').waitFor();
    });
    await page.keyboard.press('Escape');
  });

  test('keeps the picture and Run on the screen of a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${world.url}/console/playground`);
    await page.getByRole('navigation', { name: 'Recent runs' }).getByRole('link').last().click();
    await made();
    await page.mouse.move(195, 700);
    await page.mouse.wheel(0, 1_500);
    await until('it is scrolled', async () => (await page.evaluate<number>(scrolled)) > 0);
    for (const one of [large(), button('Run')]) {
      const box = await one.boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box));
    }
  });

  test('and every task of the table was measured', () => {
    assert.deepEqual(
      [...limits.keys()].filter((name) => !measured.has(name)),
      [],
    );
  });
});

/** How far the page is scrolled, in pixels. */
const scrolled =
  '[document.scrollingElement, ...document.querySelectorAll("*")].reduce((sum, one) => sum + one.scrollTop, 0)';

/** Returns the tasks of the document, with the most clicks and keys of each. */
function rowsOf(text: string): Map<string, number> {
  return new Map(
    [...text.matchAll(/^\| ([^|]+?) \| (\d+) \|/gm)].map(([, name = '', most]) => [name, Number(most)]),
  );
}

async function outputAddress(result: Locator): Promise<string> {
  return (await result.locator('img').first().getAttribute('src')) ?? '';
}
