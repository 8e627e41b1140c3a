// Tests a service below a path of its host, behind an nginx that removes the path, and behind one that passes it on.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import OpenAI from 'openai';
import { type ConsoleWorld, openConsoleWorld, signInAtStudio } from './console/world.ts';
import { noBrowser } from './harness/browser.ts';
import { freePort, noNginx, type Proxy, startNginx } from './harness/proxies.ts';

const path = '/renderkit';

describe('a service below a path', { skip: noNginx || noBrowser }, () => {
  let world: ConsoleWorld;
  let taking: Proxy;
  let keeping: Proxy;
  let key: string;
  before(async () => {
    const port = await freePort();
    world = await openConsoleWorld({ environment: { PUBLIC_URL: `http://127.0.0.1:${port}${path}` } });
    taking = await startNginx(world.url, { port, path });
    keeping = await startNginx(world.url, { path, keepsPath: true });
    key = await world.platform.createKey(await world.platform.createAccount({ credits: 100 }));
  });
  after(async () => {
    await keeping?.[Symbol.asyncDispose]();
    await taking?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });
  const proxies = () => [taking, keeping];

  test('every address that its documents name has the path', async () => {
    for (const proxy of proxies()) {
      const read = async (at: string) => (await fetch(proxy.url + at)).text();
      assert.match(await read('/llms.txt'), new RegExp(`${taking.url}/v1`));
      const { servers } = JSON.parse(await read('/openapi.json')) as { servers: { url: string }[] };
      assert.equal(servers[0]?.url, path);
      for (const at of ['', '/docs', '/docs/errors', '/console']) {
        const links = [...(await read(at)).matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(
          ([, link = '']) => link,
        );
        assert.ok(links.length > 0, at);
        for (const link of links) {
          assert.ok(link.startsWith(`${path}/`), link);
          assert.equal((await fetch(new URL(link, proxy.url))).status, 200, link);
        }
      }
    }
  });

  test("OpenAI's package gets links with the path, and may bring them back", async () => {
    for (const proxy of proxies()) {
      const openai = new OpenAI({ baseURL: `${proxy.url}/openai/v1`, apiKey: key });
      const { data } = await openai.images.generate({
        prompt: 'a lighthouse',
        model: 'sandbox-slow',
        response_format: 'url',
        options: { seconds: 1 },
      } as OpenAI.Images.ImageGenerateParamsNonStreaming);
      const url = data?.[0]?.url ?? '';
      assert.ok(url.startsWith(`${taking.url}/media/`), url);
      assert.equal((await fetch(url)).headers.get('content-type'), 'image/png');
      const edited = await fetch(`${proxy.url}/openai/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ images: [{ image_url: url }], prompt: 'at night', response_format: 'url' }),
      });
      assert.equal(edited.status, 200, await edited.text());
      const request = await fetch(
        `${proxy.url}/v1/generations/${edited.headers.get('x-renderkit-generation')}/request`,
        { headers: { authorization: `Bearer ${key}` } },
      );
      const { body } = (await request.json()) as { body: { image: string } };
      assert.match(body.image, /^ast_/, 'one of ours is recognised, not fetched');
    }
  });

  test('agents find their tools', async () => {
    for (const proxy of proxies()) {
      const answer = await fetch(`${proxy.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      });
      assert.match(await answer.text(), /create_image/);
    }
  });

  test('a person signs in and finds the pages of the console, all below the path', async () => {
    const who = await world.person({ email: 'below-a-path@example.org' });
    const { page, asked, errors } = await world.visitor();
    await page.goto(`${taking.url}/console/keys`);
    await page.getByRole('link', { name: 'Continue with the studio' }).click();
    await signInAtStudio(page, who);
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `${path}/console/keys`);
    await page.goto(`${taking.url}/console/docs/errors`);
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).first().waitFor();
    await page.goto(`${taking.url}/console/library`);
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    const { origin } = new URL(taking.url);
    const elsewhere = asked.filter((url) => url.startsWith(origin) && !url.startsWith(`${taking.url}/`));
    assert.deepEqual(elsewhere, []);
    // Before a person has signed in there is no session.
    assert.deepEqual(
      errors.filter((one) => !/status of 401 .*\/console\/api\/session/.test(one)),
      [],
    );
  });
});
