import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Locator, Page } from 'playwright-core';
import { noBrowser } from '../harness/browser.ts';
import { createClient, untilEnded } from '../harness/client.ts';
import { thanks } from '../harness/receiver.ts';
import { collectionTests } from './collection.cases.ts';
import { leave } from './leave.ts';
import { compareImages, fetchImage } from './image-diff.ts';
import { addSmallVideoModel } from './small-video.ts';
import {
  type ConsoleWorld,
  type Person,
  sharedConsoleWorld,
  signIn,
  signInAtStudio,
  type Visitor,
} from './world.ts';

/** The longest time that the model accepts, so that no run ends by itself. */
const slowSeconds = 300;
/** The longest that a picture or a short video may take on a busy machine. */
const renderTimeoutMs = 120_000;

describe('a person runs their account in the console', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let who: Person;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    world = await sharedConsoleWorld();
    who = await world.person({ name: 'Demo' });
    visitor = await world.visitor({ viewport: { width: 1280, height: 900 } });
    page = visitor.page;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.url });
  });
  after(() => leave(world, who, page));

  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
  const result = () => page.getByRole('region', { name: 'Result' });
  const dialog = () => page.getByRole('dialog');
  /** Opens a page by its link in the navigation. */
  const visit = async (name: string) => {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click();
    await heading(name).waitFor();
  };
  /** Fills in the playground's form and runs it. Returns the id of the generation once it is accepted. */
  const run = async (prompt: string) => {
    await page.getByLabel('Prompt', { exact: true }).fill(prompt);
    const shown = new URL(page.url()).searchParams.get('generation');
    await button('Run').click();
    await page.waitForURL((url) => ![null, shown].includes(url.searchParams.get('generation')));
    return new URL(page.url()).searchParams.get('generation') ?? '';
  };
  let key = '';
  let client: ReturnType<typeof createClient> | undefined;
  const api = () => (client ??= createClient(world.url, key));

  test('signs in with the studio account, allows the service, and is where they wanted to be', async () => {
    await page.goto(`${world.url}/console/keys?from=a+link`);
    await heading('Sign in to the console').waitFor();
    await page.getByRole('link', { name: 'Continue with the studio' }).click();
    await page.waitForURL(`${world.studioUrl}/**`);
    await page.getByLabel('E-mail address').fill(who.email);
    await page.getByLabel('Password').fill('not the password');
    await button('Sign in').click();
    await page.getByRole('alert').getByText('wrong').waitFor();
    await signInAtStudio(page, who);
    await heading('API keys').waitFor();
    assert.equal(new URL(page.url()).pathname, '/console/keys');
    await visit('Overview');
    await page.getByText('can be spent now').waitFor();
    await page.getByText('1,000', { exact: true }).waitFor();
  });

  test('sees what is stored, deletes an upload, and is warned where nothing more fits', async () => {
    const buffer = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
      'base64',
    );
    const sent = await page.request.post(`${world.url}/console/api/v1/uploads`, {
      headers: { origin: world.url },
      multipart: { file: { name: 'of-no-use.png', mimeType: 'image/png', buffer } },
    });
    assert.equal(sent.status(), 201, await sent.text());
    await visit('Storage');
    await row('of-no-use.png').waitFor();
    await page.getByText('of 50 GB').waitFor();
    await button('Delete of-no-use.png').click();
    await dialog().getByRole('button', { name: 'Delete upload' }).click();
    await page.getByRole('heading', { name: 'Uploads' }).waitFor();
    await page.getByText('No uploads').waitFor();
    const set = (limit: string) =>
      world.platform.operator('account', 'set', '--email', who.email, '--storage-mb', limit);
    await set('0');
    await visit('Overview');
    await link('See the storage').click();
    await page.getByText('The storage is full').waitFor();
    await set('plan');
  });

  test('makes a key, copies it, uses it elsewhere, and sees what it spends', async () => {
    await visit('API keys');
    await button('Create API key').first().click();
    await dialog().getByLabel('Name').fill('Journey');
    await dialog().getByLabel('Daily budget in credits').fill('500');
    await dialog().getByRole('button', { name: 'Create key' }).click();
    key = (await dialog().getByRole('textbox', { name: 'API key' }).innerText()).trim();
    assert.match(key, /^rk_live_\w{12}_\w{32}$/);
    await dialog().getByRole('button', { name: 'Copy the key' }).click();
    const copied = async () => (await page.evaluate('navigator.clipboard.readText()')) === key;
    await until('the key is copied', copied);
    await dialog().getByRole('button', { name: 'I have saved the key' }).click();
    const made = await api().create({ prompt: 'a lighthouse above a calm sea' });
    assert.equal(made.status, 202, made.text);
    await untilEnded(api(), [made.body.id]);
    await row('Journey').getByText(`${made.body.cost.credits} of 500`).waitFor();
    await page.reload();
    await row('Journey').waitFor();
    assert.ok(!(await page.content()).includes(key.slice(-32)), 'the secret is shown again');
  });

  test('connects a program that they have: a key of its own, whole settings, and a trial', async () => {
    await visit('Connect a program');
    const program = page.getByRole('combobox', { name: 'Which program?' });
    const settings = (name: string) => page.getByRole('group', { name: `Settings of ${name}` }).innerText();
    for (const [name, says, address] of [
      ['Open WebUI', /will find \d+ models/, '/openai/v1'],
      ['SillyTavern', /will find \d+ models/, ''],
      ['Claude Code', /will find 11 tools/, '/mcp'],
      ['Renderkit for TypeScript', /It may: read, generate/, ''],
    ] as const) {
      await program.click();
      await page.getByRole('option', { name }).click();
      assert.match(await settings(name), /rk_live_…/);
      await button('Make a key for it').click();
      await button(`Ask as ${name} would`).click();
      await page.getByRole('status').getByText(says).waitFor();
      const text = await settings(name);
      assert.match(text, /rk_live_\w{12}_\w{32}/);
      assert.ok(text.includes(`${world.url}${address}`), text);
    }
    await visit('API keys');
    await row('Open WebUI').getByText('0 of 100').waitFor();
  });

  test('runs the playground for a picture, and sees it', async () => {
    await page.goto(`${world.url}/console/playground?model=sketch-1`);
    await page.getByText('1 credit').waitFor();
    const id = await run('a harbour in the evening');
    await result().getByText('Succeeded').waitFor({ timeout: renderTimeoutMs });
    await seen(result().locator('img').first());
    await result().getByRole('link', { name: 'Details' }).click();
    await heading(/by sketch-1/).waitFor();
    assert.ok(page.url().endsWith(`/console/generations/${id}`));
    await page.getByText('a harbour in the evening').first().waitFor();
    await page.getByText('Console', { exact: true }).last().waitFor();
  });

  test('paints a mask on it, and only what was painted changes', async () => {
    const source = await outputOf(page);
    await page.getByRole('button', { name: /^Show Image.* large$/ }).click();
    await button('Use in the playground').click();
    await page.getByRole('menuitem', { name: 'Edit it' }).click();
    await heading('Playground').waitFor();
    await page.getByRole('radio', { name: 'What I paint' }).check();
    const canvas = page.getByRole('application', { name: 'Painting on the picture' });
    // Waits until the canvas stops moving.
    await canvas.hover({ position: { x: 5, y: 5 } });
    const box = await canvas.boundingBox();
    assert.ok(box);
    // A stroke over the upper left quarter.
    const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
    await page.mouse.move(...at(0.15, 0.2));
    await page.mouse.down();
    await page.mouse.move(...at(0.35, 0.2), { steps: 8 });
    await page.mouse.move(...at(0.2, 0.35), { steps: 8 });
    await page.mouse.up();
    await page.getByRole('radio', { name: 'Is filled anew' }).check();
    await run('a red balloon');
    await result().getByText('Succeeded').waitFor({ timeout: renderTimeoutMs });
    await seen(result().locator('img').first());
    await result().getByRole('link', { name: 'Details' }).click();
    await heading(/by retouch-1/).waitFor();
    const difference = compareImages(await fetchImage(source), await fetchImage(await outputOf(page)));
    assert.equal(difference.sameSize, true);
    assert.ok(difference.changed > 100, `${difference.changed} pixels changed`);
    const { left, top, right, bottom } = difference.within;
    assert.ok(left >= 0.02 && top >= 0.07 && right <= 0.5 && bottom <= 0.5, JSON.stringify(difference));
  });

  test('makes a short video and watches it', async () => {
    const model = await addSmallVideoModel(world);
    await page.goto(`${world.url}/console/playground?kind=video&model=${model}`);
    await page.getByRole('radio', { name: '1 s' }).check();
    await run('clouds drift over mountains');
    await result().getByText('Succeeded').waitFor({ timeout: renderTimeoutMs });
    const video = result().locator('video');
    const watched = await video.evaluate(async (element: Video) => {
      element.muted = true;
      await element.play();
      while (element.currentTime < 0.3) await new Promise((resolve) => setTimeout(resolve, 100));
      return { readyState: element.readyState, currentTime: element.currentTime };
    });
    assert.ok(watched.readyState >= 2 && watched.currentTime >= 0.3, JSON.stringify(watched));
  });

  test('sets up an endpoint and sees what a test delivery came to', async () => {
    await visit('Webhooks');
    await button('Add endpoint').first().click();
    await dialog().getByLabel('Address').fill(`${world.receiver.url}/journey`);
    await dialog().getByRole('button', { name: 'Add endpoint' }).click();
    assert.match(await dialog().getByRole('textbox', { name: 'Signing secret' }).innerText(), /^whsec_/);
    await dialog().getByRole('button', { name: 'Go to the endpoint' }).click();
    await heading(`${world.receiver.url}/journey`).waitFor();
    await button('Send test').click();
    await page.getByText('The receiver answered 200.').waitFor();
    await page.getByText('thank you').first().waitFor();
    assert.equal(world.receiver.arrivals.at(-1)?.path, '/journey');
  });

  test('learns how to receive on their own machine, and may by http where the operator allows it', async () => {
    await visit('Webhooks');
    await button('Add endpoint').first().click();
    const address = dialog().getByLabel('Address');
    const add = dialog().getByRole('button', { name: 'Add endpoint' });
    await add.click();
    await dialog().getByText('Give the address of your receiver.').waitFor();
    for (const [refused, words] of [
      ['http://192.168.1.20:9000/', /^The URL does not lead to the public internet.*EGRESS_ALLOW.*tunnel/],
      ['http://hooks.example/', /^The URL must begin with https.*EGRESS_ALLOW.*tunnel/],
      ['https://..:18443/', /^The URL has a host with an empty part/],
    ] as const) {
      await address.fill(refused);
      await add.click();
      await dialog().getByRole('alert').getByText(words).waitFor();
    }
    await address.fill('http://127.0.0.1:65535/');
    await add.click();
    await dialog().getByRole('button', { name: 'Go to the endpoint' }).click();
    await heading('http://127.0.0.1:65535/').waitFor();
  });

  test('sends tests that fail: they are tried again, mark nothing, and there are ten a minute', async () => {
    const state = page.getByRole('region', { name: 'Endpoint', exact: true });
    await button('Send test').click();
    await page.getByText('Like any delivery it is tried again, next').waitFor();
    await page.getByText('A test that fails does not mark the endpoint').waitFor();
    await page.reload();
    await state.getByText('Active', { exact: true }).waitFor();
    await state.getByText('Nothing sent').waitFor();
    // Adds ten more sends with the present time, whenever the first one was. The audit log is read below.
    await world.platform.databases.service.rows(
      `insert into manual_sends (account_id, kind, endpoint_id, sent_at)
       select account_id, kind, endpoint_id, clock() from manual_sends, generate_series(1, 10) where endpoint_id = $1`,
      [new URL(page.url()).pathname.split('/').at(-1)],
    );
    await button('Send test').click();
    const waiting = button(/^Send test in \d+ s$/);
    await waiting.waitFor();
    assert.ok(await waiting.isDisabled());
    await page.getByText(/^This endpoint can have 10 test deliveries a minute\. .* in \d+ s\.$/).waitFor();
    const shown = await waiting.innerText();
    await until('the seconds go by', async () => (await waiting.innerText()) !== shown);
    await button('Dismiss').click();
  });

  test('looks at a delivery that failed, resends it, and sees it delivered', async () => {
    world.receiver.answer = () => ({ status: 500, body: 'out of order' });
    const made = await api().create({ prompt: 'a hill' });
    await untilEnded(api(), [made.body.id]);
    await visit('Deliveries');
    await row('generation.succeeded').filter({ hasText: '500' }).first().getByRole('link').first().click();
    await heading('generation.succeeded').waitFor();
    await page.getByText('The receiver answered 500').first().waitFor();
    await page.getByRole('group', { name: 'Answer' }).getByText('out of order').waitFor();
    await page.getByRole('group', { name: 'Headers' }).getByText('service-delivery').waitFor();
    await page.getByRole('group', { name: 'Body' }).getByText(made.body.id).waitFor();
    await link(made.body.id).waitFor();
    world.receiver.answer = thanks;
    await button('Resend').click();
    await page.getByText('By hand').waitFor();
    await page.getByText('The receiver answered 200.').waitFor();
    const facts = page.getByRole('region', { name: 'Delivery', exact: true });
    await facts.getByText('Delivered').waitFor();
    assert.ok(world.receiver.arrivals.at(-1)?.body.includes(made.body.id));
  });

  test('cancels what waits, and revokes a key together with what waits for it', async () => {
    const slow = { model: 'sandbox-slow', options: { seconds: slowSeconds } };
    const running = await Promise.all([api().create(slow), api().create(slow)]);
    assert.deepEqual(
      running.map(({ status }) => status),
      [202, 202],
    );
    await page.goto(`${world.url}/console/playground?model=sandbox-slow`);
    await run('never to be');
    await result().getByRole('button', { name: 'Cancel generation' }).click();
    await dialog().getByRole('button', { name: 'Cancel generation' }).click();
    await result().getByText('Canceled', { exact: true }).waitFor();
    const waiting = await api().create({ prompt: 'not to be either' });
    await visit('API keys');
    await button('Actions for Journey').click();
    await page.getByRole('menuitem', { name: 'Revoke key' }).click();
    await dialog()
      .getByLabel(/^Cancel its 1 queued generation too/)
      .check();
    await dialog().getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('was revoked and 1 generation canceled').waitFor();
    await row('Journey').getByText('Revoked').waitFor();
    const refused = await fetch(`${world.url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(refused.status, 401);
    await visit('Generations');
    await row('not to be either').getByText('Canceled').waitFor();
    await page.goto(`${world.url}/console/generations/${waiting.body.id}`);
    await page.getByText('It was canceled while it waited.').waitFor();
    for (const { body } of running) {
      const address = `${world.url}/console/api/v1/generations/${body.id}/stop`;
      const stopped = await page.request.post(address, { headers: { origin: world.url } });
      assert.equal(stopped.status(), 202, await stopped.text());
    }
  });

  collectionTests(() => ({ world, page }));

  test('finds what was made in the library, makes it a favorite, and deletes it', async () => {
    // Generations that still run would appear in the list while it is counted.
    const open = `select id from generations where status in ('queued', 'running')
                    and account_id = (select id from accounts where email = $1)`;
    await until(
      'all has ended',
      async () => (await world.platform.databases.service.rows(open, [who.email])).length === 0,
    );
    await visit('Library');
    // The list may be cached from before, so it is loaded again.
    await page.reload();
    const tiles = page.getByRole('list', { name: 'Items' }).getByRole('button', { name: /^Show Image/ });
    await tiles.first().waitFor();
    const count = await tiles.count();
    await seen(tiles.first().locator('img'));
    await tiles.first().click();
    await dialog().getByRole('button', { name: 'Make a favorite' }).click();
    await dialog().getByRole('button', { name: 'Favorite', pressed: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Favorites').check();
    await page.waitForURL(/favorites=true/);
    const favorite = page.getByRole('button', { name: /, a favorite$/ });
    await favorite.click();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await button('Delete image').click();
    await page.getByText('The image was deleted.').waitFor();
    await page.getByText('Nothing in the library is like that').waitFor();
    await button('Clear the filters').click();
    await until('one picture less', async () => (await tiles.count()) === count - 1);
  });

  test('sees where they are signed in, and ends a session elsewhere', async () => {
    const elsewhere = await world.visitor();
    await signIn(world, elsewhere.page, who);
    await visit('Sessions');
    await row('This browser').waitFor();
    await page.getByRole('button', { name: /^End the session of/ }).click();
    await dialog().getByRole('button', { name: 'End session' }).click();
    await page.getByText('The session was ended.').waitFor();
    // The page may have noticed this by itself already.
    await elsewhere.page.goto(new URL('/console/keys', elsewhere.page.url()).href);
    await elsewhere.page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    assert.ok(elsewhere.page.url().includes(encodeURIComponent('/console/keys')));
    await elsewhere.page.context().close();
  });

  test('sees that the studio session has ended, and reconnects', async () => {
    await world.platform.operator('account', 'end-session', '--email', who.email);
    await visit('Overview');
    await page.getByRole('link', { name: 'See the connection' }).first().click();
    await heading('Connection').waitFor();
    await page.getByText('Ended', { exact: true }).waitFor();
    await link('Reconnect').click();
    await button('Allow').click();
    await heading('Connection').waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByText(who.email).last().waitFor();
  });

  test('reads in the audit log what was done', async () => {
    await visit('Audit log');
    for (const text of [
      'Signed in',
      'Created an API key',
      'Created a webhook endpoint',
      'Sent a test delivery',
      'Resent a delivery',
      'Canceled a generation',
      'Revoked an API key',
      'Ended a session',
    ])
      await row(text).first().waitFor();
    assert.ok(await row(who.email).first().isVisible());
  });

  /**
   * Presses the button before the menu's script has arrived. The script then replaces the button while it is pressed.
   */
  async function opensWhilePressed(fresh: Page): Promise<void> {
    const pressed = Promise.withResolvers<void>();
    await fresh.route(/AccountMenuList/, async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await fresh.goto(`${world.url}/console/keys`);
    await fresh.getByRole('button', { name: /^Account menu/ }).hover();
    await fresh.mouse.down();
    pressed.resolve();
    await fresh.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await fresh.mouse.up();
    await fresh.close();
  }

  test('signs out of both, and has to sign in again', async () => {
    await opensWhilePressed(await page.context().newPage());
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${world.studioUrl}/**`);
    await button('Sign out').click();
    await heading('You are signed out').waitFor();
    assert.ok(page.url().startsWith(`${world.url}/console/signed-out`));
    await page.goto(`${world.url}/console/keys`);
    await heading('Sign in to the console').waitFor();
    await page.reload();
    await heading('Sign in to the console').waitFor();
    await page.getByRole('link', { name: 'Continue with the studio' }).click();
    await page.getByLabel('Password').waitFor();
  });

  test('and all the while the browser reported no error, and asked no other server', () => {
    // Expected errors: no session; a wrong password; refused addresses and test deliveries.
    const expected = [
      /status of 401 .*\/console\/api\/session\)$/,
      /status of 422 .*\/sign-in\/[\w-]+\)$/,
      /status of 400 .*\/console\/api\/webhooks\)$/,
      /status of 429 .*\/console\/api\/webhooks\/\w+\/ping\)$/,
    ];
    assert.deepEqual(
      visitor.errors.filter((text) => !expected.some((one) => one.test(text))),
      [],
    );
    const own = [`${world.url}/`, `${world.studioUrl}/`, 'data:', 'blob:'];
    assert.deepEqual(
      visitor.asked.filter((address) => !own.some((place) => address.startsWith(place))),
      [],
    );
  });
});

/** The properties that the browser has. */
type LoadedImage = { naturalWidth: number; decode: () => Promise<void> };
type Video = { muted: boolean; readyState: number; currentTime: number; play: () => Promise<void> };

/** Waits until an image is decoded, not only present. */
async function seen(image: Locator): Promise<void> {
  await image.waitFor();
  const width = await image.evaluate(async (element: LoadedImage) => {
    await element.decode();
    return element.naturalWidth;
  });
  assert.ok(width > 0);
}

/** Returns the address of the first output on the page of a generation. */
async function outputOf(page: Page): Promise<string> {
  const image = page.getByRole('main').locator('ul img').first();
  await seen(image);
  return (await image.getAttribute('src')) ?? '';
}
