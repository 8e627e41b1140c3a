import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page } from 'playwright-core';
import type { ApiKey, CreatedApiKey } from '@renderkit/contract/console/schemas/key.ts';
import type { CreatedWebhook } from '@renderkit/contract/console/schemas/webhook.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { noBrowser } from '../harness/browser.ts';
import { createClient, untilEnded } from '../harness/client.ts';
import { type ForeignSite, startForeignSite } from '../harness/foreign-site.ts';
import { consoleCallerOf } from './sample-account.ts';
import { leave } from './leave.ts';
import { goToView, openView, untilSettled } from './page-views.ts';
import {
  type ConsoleWorld,
  type Person,
  sharedConsoleWorld,
  signIn,
  signInAtStudio,
  type Visitor,
} from './world.ts';

/** Each payload has an effect when it is not treated as text. */
const payloads = [
  '<script>globalThis.hacked=1;alert(1)</script>',
  '"><img src=x onerror="globalThis.hacked=1;alert(1)">',
  "'-alert(1)-'",
  'javascript:alert(1)//',
  '</style><svg/onload=alert(1)>',
  '</title></textarea><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '{{constructor.constructor("alert(1)")()}}${alert(1)}',
  '<a href="javascript:alert(1)">x</a><form action=//evil.example><button>',
];
const [script = '', image = ''] = payloads;
const all = payloads.join(' ');

/** Finds what a payload has put into a page; empty when none did. */
const injectedContent = `[
  ...(globalThis.hacked === undefined ? [] : ['a payload ran']),
  ...[...document.querySelectorAll('*')].flatMap((element) => [...element.attributes]
    .filter(({ name, value }) => /^on/i.test(name) || (/^(href|src|action|formaction|srcdoc)$/i.test(name) && /^\\s*javascript:/i.test(value)))
    .map(({ name }) => element.tagName + ' with ' + name)),
  ...[...document.querySelectorAll('script:not([src]), iframe[srcdoc], form[action*=evil]')].map((element) => element.outerHTML.slice(0, 80)),
]`;

describe('the console withstands hostile input', { skip: noBrowser }, () => {
  let world: ConsoleWorld;
  let foreign: ForeignSite;
  let who: Person;
  let visitor: Visitor;
  let page: Page;
  let ids: Record<'generation' | 'failed' | 'endpoint' | 'delivery', string>;
  before(async () => {
    world = await sharedConsoleWorld();
    foreign = await startForeignSite();
    who = await world.person({ name: image });
    visitor = await world.visitor({ userAgent: `${script}${image}` });
    page = visitor.page;
  });
  after(async () => {
    try {
      await leave(world, who, page);
    } finally {
      await foreign[Symbol.asyncDispose]();
    }
  });

  const call: ReturnType<typeof consoleCallerOf> = (...request) => consoleCallerOf(world, page)(...request);
  /** Errors in the browser's console, except answers with 400, 401, 403 and 404. */
  const errorsOf = ({ errors }: Visitor) =>
    errors.filter((text) => !/Failed to load resource: .* status of 40[0134]/.test(text));

  async function assertHarmless(where: string): Promise<void> {
    assert.deepEqual(await page.evaluate(injectedContent), [], where);
    assert.deepEqual(errorsOf(visitor), [], where);
    const own = [`${world.url}/`, `${world.studioUrl}/`, 'data:', 'blob:'];
    assert.deepEqual(
      visitor.asked.filter((address) => !own.some((place) => address.startsWith(place))),
      [],
      where,
    );
  }

  test('texts with scripts in them are stored wherever there is a text', async () => {
    await signIn(world, page, who);
    await assertHarmless('signing in');
    const scopes = ['read', 'generate', 'projects', 'uploads', 'library'];
    const { key } = await call<CreatedApiKey>('POST', '/keys', { name: script, scopes });
    for (const name of payloads.slice(1)) await call('POST', '/keys', { name, scopes: ['read'] });
    world.receiver.answer = () => ({ status: 500, body: `<html><body>${all}</body></html>` });
    const address = `${world.receiver.url}/${script}?${image}&next=javascript:alert(1)`;
    const endpoint = await call<CreatedWebhook>('POST', '/webhooks', {
      url: address,
      events: ['generation.succeeded', 'generation.failed'],
    });
    const client = createClient(world.url, key);
    for (const title of payloads) await client.call('POST', '/v1/projects', { body: { title } });
    const project = await client.call<{ id: string }>('POST', '/v1/projects', { body: { title: image } });
    const metadata = Object.fromEntries(
      payloads.slice(0, 4).map((text) => [text.slice(0, 64), all.slice(0, 500)]),
    );
    const made = await client.create({ prompt: all, metadata, project_id: project.body.id });
    assert.equal(made.status, 202, made.text);
    const failed = await client.create({ model: 'sandbox-fail', prompt: image });
    await untilEnded(client, [made.body.id, failed.body.id]);
    // As a studio might report it.
    await world.platform.databases.service.rows(`update generations set error_message = $1 where id = $2`, [
      all,
      failed.body.id,
    ]);
    let delivery = '';
    await until('a delivery that failed', async () => {
      const { data } = await call<{ data: { id: string; last_status: number | null }[] }>(
        'GET',
        '/deliveries',
      );
      delivery = data.find(({ last_status: status }) => status === 500)?.id ?? '';
      return delivery !== '';
    });
    ids = { generation: made.body.id, failed: failed.body.id, endpoint: endpoint.id, delivery };
  });

  test('and every page shows them as text', async () => {
    const shown: [string, string | undefined][] = [
      ['', all.slice(0, 40)],
      ['/playground', undefined],
      [`/playground?from=${ids.generation}`, script],
      ['/generations', image.slice(0, 30)],
      [`/generations/${ids.generation}`, image],
      [`/generations/${ids.failed}`, script],
      ['/library', undefined],
      ['/keys', script],
      ['/webhooks', 'javascript:alert(1)'],
      [`/webhooks/${ids.endpoint}`, 'javascript:alert(1)'],
      ['/deliveries', 'generation.failed'],
      [`/deliveries/${ids.delivery}`, script],
      ['/connection', image],
      ['/sessions', '<script>'],
      ['/audit', script],
      ['/docs', undefined],
    ];
    for (const [i, [path, text]] of shown.entries()) {
      const view = { name: path, path };
      if (i === 0) await openView(page, world.url, view);
      else await goToView(page, view);
      if (text !== undefined)
        await until(`${path} shows ${text}`, async () =>
          (
            await page.evaluate<string>(
              'document.body.innerText + [...document.querySelectorAll("textarea")].map((one) => one.value).join()',
            )
          ).includes(text),
        );
      await assertHarmless(path);
    }
  });

  test('dialogs, menus and messages show them as text', async () => {
    await page.goto(`${world.url}/console/keys`);
    await page
      .getByRole('button', { name: `Actions for ${image}` })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Revoke key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText(`“${image}” was revoked`).waitFor();
    await page.goto(`${world.url}/console/webhooks/${ids.endpoint}`);
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('group', { name: 'Answer' }).getByText('<script>').first().waitFor();
    await page.goto(`${world.url}/console/playground?kind=image&model=atelier-1`);
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/console/api/v1/uploads'));
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: `${image}.png`.replaceAll('/', ''),
        mimeType: 'image/png',
        buffer: Buffer.from(`GIF89a/*${script}*/`),
      });
    await (await answered).finished();
    await untilSettled(page);
    await assertHarmless('a file');
  });

  test('addresses that were made up do nothing', async () => {
    // Without a dot, since the console treats a path with a dot as a file.
    const text = encodeURIComponent('"><img src=x onerror=alert(1)>');
    for (const path of [
      `/sign-in?return_to=${encodeURIComponent('javascript:alert(1)')}`,
      `/sign-in-failed?reason=${text}&return_to=//evil.example`,
      `/generations/${text}`,
      `/generations?status=${text}&key_id=${text}`,
      `/library?search=${text}&item=${text}&type=${text}`,
      `/playground?model=${text}&generation=${text}&from=${text}&use=${text}&as=image`,
      `/deliveries?endpoint_id=${text}&event_id=${text}`,
      `/docs/${text}`,
      '/docs/%2f%2fevil',
      `/${text}`,
      `/audit?action=__proto__&actor=constructor&page=-1`,
    ]) {
      await page.goto(`${world.url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await untilSettled(page);
      await assertHarmless(path);
      const addresses = await page
        .locator('a[href]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
      for (const address of addresses)
        assert.ok(!/^(?:javascript:|\/\/|https?:\/\/evil)/.test(address), `${path}: ${address}`);
    }
  });

  test('signing in leads nowhere but into the console', async () => {
    for (const to of [
      '//evil.example',
      'https://evil.example/console',
      '/\\evil.example',
      '/console/../../evil',
    ]) {
      await page.goto(`${world.url}/console/auth/sign-in?return_to=${encodeURIComponent(to)}`);
      await page.getByRole('navigation', { name: 'Console' }).waitFor();
      assert.equal(page.url(), `${world.url}/console`, to);
    }
  });

  test('a page of another origin changes nothing and reads nothing', async () => {
    const keys = async () =>
      (await call<{ data: ApiKey[] }>('GET', '/keys')).data.filter(({ status }) => status === 'active')
        .length;
    const active = await keys();
    const api = `${world.url}/console/api`;
    const body = JSON.stringify({ name: 'stolen', scopes: ['read'] });
    for (const origin of [foreign.sameSite, foreign.crossSite]) {
      for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
        for (const path of [
          '/keys',
          '/sign-out',
          '/v1/images/generations',
          `/webhooks/${ids.endpoint}/rotate`,
        ]) {
          foreign.page = `<form method=post action="${api}${path}" enctype="${enctype}">
            <input name='${body.slice(0, -1)},"x":"' value='"}'></form>`;
          await page.goto(origin);
          const [answer] = await Promise.all([
            page.waitForResponse((response) => response.url() === api + path),
            page.waitForURL(api + path),
            page.evaluate('document.forms[0].submit()'),
          ]);
          assert.ok([401, 403].includes(answer.status()), `${origin} ${path}: ${answer.status()}`);
        }
      foreign.page = '<p>hello</p>';
      await page.goto(origin);
      const read = await page.evaluate<string[]>(
        `Promise.all([
          ['GET', '/session'], ['GET', '/keys'], ['POST', '/sign-out'], ['DELETE', '/webhooks/${ids.endpoint}'], ['POST', '/keys'],
        ].map(([method, path]) => fetch('${api}' + path, {
          method, credentials: 'include',
          ...(method === 'POST' && { body: ${JSON.stringify(body)}, headers: { 'content-type': 'application/json' } }),
        }).then((answer) => method + path + ' ' + answer.status, () => 'refused')))`,
      );
      assert.deepEqual(new Set(read), new Set(['refused']), origin);
      await page.evaluate(
        `fetch('${api}/sign-out', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(() => {})`,
      );
      // Errors of the other origin do not come from the console.
      visitor.errors.length = 0;
      visitor.asked.length = 0;
    }
    assert.equal(await keys(), active);
    await call<{ status: string }>('GET', `/webhooks/${ids.endpoint}`);
    const { data } = await call<{ data: { generation: Generation }[] }>('GET', '/generations');
    assert.equal(data.length, 2);
  });

  test('a page of another origin cannot put a frame around it', async () => {
    for (const address of [
      `${world.url}/console`,
      `${world.url}/console/keys`,
      `${world.url}/docs`,
      `${world.studioUrl}/oidc/session/end`,
    ]) {
      foreign.page = `<iframe src="${address}" width=900 height=600></iframe>`;
      await page.goto(foreign.sameSite);
      await page.waitForTimeout(500);
      const [, frame] = page.frames();
      assert.match(frame?.url() ?? '', /^chrome-error:/, address);
    }
    visitor.errors.length = 0;
    visitor.asked.length = 0;
  });

  test('a session that was planted, or begun by somebody else, is not the one that is signed in', async () => {
    const cookieOf = async (one: Page) =>
      (await one.context().cookies(world.url)).find(({ name }) => name.startsWith('rk_session_'));
    const planted = await cookieOf(page);
    assert.ok(planted);
    assert.deepEqual(
      [planted.httpOnly, planted.sameSite, planted.name],
      [true, 'Lax', `rk_session_${new URL(world.url).port}`],
    );
    assert.equal(await page.evaluate('document.cookie'), '');
    const victim = await world.visitor();
    const other = await world.person();
    await victim.page.context().addCookies([planted]);
    await victim.page.goto(`${world.url}/console/auth/sign-in`);
    await signInAtStudio(victim.page, other);
    await victim.page.getByText(other.email).first().waitFor();
    assert.notEqual((await cookieOf(victim.page))?.value, planted.value);
    await victim.page.context().close();
    // The planted cookie gives no session.
    await page.goto(`${world.url}/console/keys`);
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
  });

  test('the end of a sign-in that somebody else began signs nobody in', async () => {
    const attacker = await world.visitor();
    let kept = '';
    // Uses the DevTools protocol: other interceptors do not see later redirects of a chain.
    const tools = await attacker.page.context().newCDPSession(attacker.page);
    tools.on('Fetch.requestPaused', ({ request, requestId }) => {
      kept = request.url;
      void tools.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    });
    await tools.send('Fetch.enable', { patterns: [{ urlPattern: '*/console/auth/callback?*' }] });
    await attacker.page.goto(`${world.url}/console/auth/sign-in`);
    const going = signInAtStudio(attacker.page, await world.person()).catch(() => undefined);
    await until('the address that the studio sends back to', async () => kept !== '');
    await attacker.page.context().close();
    await going;
    const victim = await world.visitor();
    await victim.page.goto(kept);
    await victim.page.getByRole('heading', { name: 'This sign-in is no longer open' }).waitFor();
    await victim.page.goto(`${world.url}/console`);
    await victim.page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    await victim.page.context().close();
  });
});
