// Tests the official client of MCP with a whole platform, in both eras of the protocol, over HTTP and stdio.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import sharp from 'sharp';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMcpHttp } from '@renderkit/mcp/http';
import Renderkit, { type EstimateParams } from 'renderkit';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import type { Platform, PlatformAccount } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';
import {
  type Answer,
  balance,
  Connected,
  connectMcp,
  type ConnectOptions,
  type Era,
  newClient,
} from './connected.ts';

const run = promisify(execFile);
/** The inspector is not one of the packages, because it has a hundred megabytes. */
const inspector = process.env['MCP_INSPECTOR'];
const prompt = 'a lighthouse above a calm sea at dusk';
const onePixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

describe('MCP', () => {
  let platform: Platform;
  let account: PlatformAccount;
  let key: string;
  before(async () => {
    platform = await sharedPlatform();
    account = await platform.createAccount({ tier: 'pro', credits: 2_000 });
    key = await platform.createKey(account);
  });

  const connect = (era: Era, options: ConnectOptions = {}) => connectMcp(platform, era, { key, ...options });

  async function count(rows: 'generations' | 'facade_calls where holder is not null'): Promise<number> {
    const text = `select count(*)::int as count from ${rows}`;
    return (await platform.databases.service.rows<{ count: number }>(text))[0]?.count ?? 0;
  }

  for (const era of ['legacy', 'auto'] as const) {
    test(`${era}: an agent finds a model, asks the price, makes a picture and looks at it`, async () => {
      await using mcp = await connect(era);
      const { models } = (await mcp.call('list_models', { suite: 'image' })).data as {
        models: { id: string }[];
      };
      assert.ok(models.some(({ id }) => id === 'atelier-1'));
      const model = (await mcp.call('get_model', { id: 'atelier-1' })).data as { credits_from: number };
      const price = (await mcp.call('estimate', { kind: 'image', prompt })).data as { credits: number };
      assert.equal(price.credits, model.credits_from);
      const made = await ended(
        mcp,
        await mcp.call('create_image', { prompt, max_credits: price.credits, wait_seconds: 45 }),
      );
      const generation = made.data as { id: string; status: string; outputs: { id: string; url: string }[] };
      assert.equal(generation.status, 'succeeded', made.text);
      const [output] = generation.outputs;
      assert.ok(output !== undefined && made.text.includes(output.url));
      assert.ok(made.result.content.some((one) => one.type === 'resource_link' && one.uri === output.url));
      assert.ok(!JSON.stringify(made.result).includes('base64'));
      const shown = await mcp.call('view_output', { output_id: output.id, max_side: 256 });
      const picture = shown.result.content.find((one) => one.type === 'image');
      assert.ok(picture?.type === 'image' && picture.mimeType === 'image/jpeg', shown.text);
      const { format, width, height } = await sharp(Buffer.from(picture.data, 'base64')).metadata();
      assert.deepEqual([format, Math.max(width, height)], ['jpeg', 256]);
      const library = (await mcp.call('list_library', { limit: 5 })).data as { items: { id: string }[] };
      assert.ok(library.items.some(({ id }) => id === output.id));
    });
  }

  for (const era of ['legacy', 'auto'] as const) {
    test(`${era}: outputs and models can be read by their addresses, and no other account's`, async () => {
      await using mcp = await connect(era);
      const { resourceTemplates } = await mcp.client.listResourceTemplates();
      const addresses = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
      assert.deepEqual(addresses, ['renderkit://outputs/{id}', 'renderkit://models/{id}']);
      const read = async (uri: string) => {
        const [content] = (await mcp.client.readResource({ uri })).contents;
        assert.ok(content !== undefined);
        return content;
      };
      const sdk = new Renderkit({ baseUrl: platform.serviceUrls[0], apiKey: key });
      const image = await sdk.images.run({ prompt });
      const video = await sdk.videos.run({ prompt, duration: 3 });
      for (const [output] of [image.outputs, video.outputs]) {
        const thumbnail = await read(`renderkit://outputs/${output.id}`);
        assert.ok('blob' in thumbnail);
        const bytes = Buffer.from(thumbnail.blob, 'base64');
        const { format, width, height } = await sharp(bytes).metadata();
        assert.deepEqual([thumbnail.mimeType, format], ['image/jpeg', 'jpeg']);
        assert.ok(Math.max(width, height) <= 384 && bytes.length <= 256_000, `${width}x${height}`);
      }
      const model = await read('renderkit://models/atelier-1');
      assert.ok('text' in model);
      const { id, input_schema: schema } = JSON.parse(model.text) as { id: string; input_schema: object };
      assert.deepEqual([id, 'properties' in schema], ['atelier-1', true]);
      const stranger = await platform.createKey(await platform.createAccount({ tier: 'pro', credits: 10 }));
      await using other = await connect(era, { key: stranger });
      const missing = [
        `renderkit://outputs/${image.outputs[0].id}`,
        'renderkit://models/no-such-model',
        'renderkit://models/%2e%2e%2faccount',
        'renderkit://models/.',
        'renderkit://models/%2e%2e',
        'renderkit://models/%',
      ];
      for (const uri of missing)
        await assert.rejects(other.client.readResource({ uri }), { code: -32_602 }, uri);
    });
  }

  test('the definitions of all tools are short', async () => {
    await using mcp = await connect('auto');
    const { tools } = await mcp.client.listTools();
    assert.equal(tools.length, 11);
    assert.ok(JSON.stringify(tools).length <= 16_000, `${JSON.stringify(tools).length} characters`);
    for (const tool of tools)
      assert.ok(tool.outputSchema && tool.annotations?.readOnlyHint !== undefined, tool.name);
  });

  test(
    "the official inspector's command line finds no error in the tools, and calls one",
    { skip: inspector === undefined && 'MCP_INSPECTOR names no file of @modelcontextprotocol/inspector' },
    async () => {
      const inspect = async (...words: string[]) => {
        const { stdout } = await run(process.execPath, [
          inspector ?? '',
          '--cli',
          new URL('/mcp', platform.serviceUrls[0]).href,
          '--header',
          `Authorization: Bearer ${key}`,
          ...words,
        ]);
        return stdout;
      };
      // It exits with 6 when a schema has an error.
      assert.match(await inspect('--method', 'tools/list', '--strict'), /"name": "create_video"/);
      assert.match(await inspect('--method', 'tools/call', '--tool-name', 'account'), /credits/);
      assert.match(await inspect('--method', 'resources/templates/list'), /renderkit:\/\/outputs\/\{id\}/);
      const model = await inspect('--method', 'resources/read', '--uri', 'renderkit://models/atelier-1');
      assert.match(model, /input_schema/);
    },
  );

  test('an estimate takes the fields of the create that it is for, beside its kind or in request', async () => {
    await using mcp = await connect('auto');
    const sdk = new Renderkit({ baseUrl: platform.serviceUrls[0], apiKey: key });
    const { id: image } = await sdk.uploads.create(await (await fetch(onePixel)).blob());
    const { outputs } = await sdk.videos.run({ prompt, duration: 3 });
    const video = outputs[0].id;
    const cases: [kind: string, fields: Record<string, unknown>, priced: EstimateParams][] = [
      ['image', { prompt, max_credits: 5, wait_seconds: 0 }, { kind: 'image', prompt }],
      ['image_edit', { prompt, image }, { kind: 'image_edit', prompt, image }],
      ['image', { prompt, image }, { kind: 'image_edit', prompt, image }],
      ['video', { prompt, duration: 3 }, { kind: 'video', prompt, duration: 3 }],
      ['video_extend', { prompt, extend_video_id: video }, { kind: 'video_extend', prompt, video_id: video }],
    ];
    for (const [kind, fields, priced] of cases) {
      const { credits, model } = await sdk.estimate(priced);
      for (const given of [
        { kind, ...fields },
        { kind, request: fields },
      ]) {
        const told = await mcp.call('estimate', given);
        const data = told.data as { credits: number; model: string } | undefined;
        assert.deepEqual([data?.credits, data?.model], [credits, model], told.text);
      }
    }
    const bare = await mcp.call('estimate', { kind: 'image_edit', prompt });
    assert.match(bare.text, /^invalid_request: [^]*image/);
    const unknown = await mcp.call('estimate', { kind: 'image', prompt, size: '1x1' });
    assert.match(unknown.text, /^invalid_request: [^]*size/);
  });

  test('what costs more than max_credits is refused with its price, and nothing is charged', async () => {
    await using mcp = await connect('auto');
    const initially = await balance(mcp);
    const refused = await mcp.call('create_image', { prompt, max_credits: 0.5 });
    assert.ok(refused.isError);
    assert.match(refused.text, /^over_max_credits: It would cost \d+ credits/);
    assert.equal(await balance(mcp), initially);
  });

  test('a price that is published between the estimate and the create is not paid', async () => {
    const sdk = new Renderkit({ baseUrl: platform.serviceUrls[0], apiKey: key });
    await publish(platform, sdk, 2);
    let beforeCreate = async () => {};
    await using mcp = await connectInProcess(platform, key, () => beforeCreate());
    const initially = await balance(mcp);
    const request = { prompt, model: 'priced', max_credits: 3, wait_seconds: 0 };
    beforeCreate = () => publish(platform, sdk, 5);
    const refused = await mcp.call('create_image', request);
    assert.match(refused.text, /^over_max_credits: It would cost 5 credits/);
    beforeCreate = () => publish(platform, sdk, 7);
    const dearer = await mcp.call('create_image', { ...request, max_credits: 6 });
    assert.match(dearer.text, /^over_max_credits: It would cost 7 credits/);
    assert.equal(await balance(mcp), initially);
    beforeCreate = async () => {};
    const bought = await mcp.call('create_image', { ...request, max_credits: 7 });
    assert.ok(!bought.isError, bought.text);
    assert.equal(await balance(mcp), initially - 7);
  });

  test('a call whose answer was lost is bought once; one that was answered is bought again', async () => {
    await using mcp = await connect('auto');
    const request = {
      prompt: 'a boat',
      model: 'sandbox-slow',
      options: { seconds: 3 },
      max_credits: 20,
      wait_seconds: 30,
    };
    const initially = await count('generations');
    const patience = new AbortController();
    const lost = mcp.client.callTool(
      { name: 'create_image', arguments: request },
      { signal: patience.signal },
    );
    lost.catch(() => undefined);
    while ((await count('generations')) === initially) await setTimeout(20);
    patience.abort();
    await assert.rejects(lost);
    // Waits until the service has noticed that its client disconnected.
    while ((await count('facade_calls where holder is not null')) > 0) await setTimeout(20);
    const repeated = await mcp.call('create_image', request);
    assert.match(repeated.text, /nothing more was charged/);
    assert.equal(await count('generations'), initially + 1);
    const again = await mcp.call('create_image', request);
    assert.notEqual((again.data as { id: string }).id, (repeated.data as { id: string }).id);
  });

  test('the same request_id is one generation, and another request under it is refused', async () => {
    await using mcp = await connect('auto');
    const request = { prompt: 'an owl', max_credits: 20, wait_seconds: 0, request_id: 'owl-1' };
    const both = await Promise.all([1, 2].map(() => mcp.call('create_image', request)));
    assert.equal(new Set(both.map(({ data }) => (data as { id: string }).id)).size, 1);
    assert.match((await mcp.call('create_image', { ...request, prompt: 'two owls' })).text, /^conflict: /);
  });

  test('progress is told to who asks for it', async () => {
    await using mcp = await connect('auto');
    const told: (string | undefined)[] = [];
    const request = { prompt, model: 'sandbox-slow', options: { seconds: 1 }, max_credits: 20 };
    await mcp.client.callTool(
      { name: 'create_image', arguments: request },
      { onprogress: ({ message }) => void told.push(message) },
    );
    assert.ok(told.length > 0);
  });

  test('a file is taken in, and named in an edit', async () => {
    await using mcp = await connect('legacy');
    const { id } = (await mcp.call('import_media', { data: onePixel })).data as { id: string };
    const edited = await ended(
      mcp,
      await mcp.call('create_image', { prompt: 'in winter', image: id, max_credits: 50 }),
    );
    assert.equal((edited.data as { status: string }).status, 'succeeded', edited.text);
    assert.match((await mcp.call('import_media', { path: '/etc/passwd' })).text, /cannot reach your files/);
  });

  test('what is wrong is told as tools tell it, with what to do', async () => {
    await using mcp = await connect('auto');
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ['create_image', { prompt }, /max_credits/],
      ['create_image', { prompt, max_credits: 5, size: '1x1' }, /size/],
      ['create_image', { prompt, max_credits: 5, model: 'no-such-model' }, /no-such-model[^]*\nNext: /],
      ['create_image', { prompt: 'x'.repeat(5_000), max_credits: 5 }, /prompt/],
      ['get_generation', { id: 'gen_0123456789abcdef' }, /^not_found: [^]*\nNext: /],
      ['cancel_generation', { id: '../../account' }, /^not_found: /],
      ['get_generation', { id: '..' }, /^invalid_request: "\.\." is no id[^]*\nNext: /],
      ['view_output', { output_id: 'ast_nothing' }, /^not_found: There is no such item in the library\./],
      ['import_media', {}, /^invalid_request: /],
    ];
    for (const [name, given, message] of cases) {
      const answer = await mcp.call(name, given);
      assert.ok(answer.isError, `${name} ${JSON.stringify(given).slice(0, 60)}: ${answer.text}`);
      assert.match(answer.text, message);
    }
    await assert.rejects(mcp.call('delete_everything', {}), /not found/);
  });

  test('what is wrong with a field, and what became of the credits, is told once', async () => {
    await using mcp = await connect('auto');
    const refused = await mcp.call('create_image', { prompt, aspect_ratio: '7:5', max_credits: 20 });
    const [sentence = ''] = refused.text.split('\n');
    assert.match(sentence, /^invalid_request: aspect_ratio: /);
    assert.equal(sentence.match(/aspect_ratio/g)?.length, 1, sentence);
    const failed = await ended(
      mcp,
      await mcp.call('create_image', { prompt, model: 'sandbox-fail', max_credits: 20, wait_seconds: 45 }),
    );
    assert.match(failed.text, / failed \(/);
    assert.equal(failed.text.match(/credits/g)?.length, 1, failed.text);
  });

  test("another account's handles are not there", async () => {
    await using mcp = await connect('auto');
    const { id } = (await mcp.call('create_image', { prompt, max_credits: 20, wait_seconds: 0 })).data as {
      id: string;
    };
    const stranger = await platform.createKey(await platform.createAccount({ tier: 'pro', credits: 10 }));
    await using other = await connect('auto', { key: stranger });
    assert.match((await other.call('get_generation', { id })).text, /^not_found: /);
    assert.match((await other.call('cancel_generation', { id })).text, /^not_found: /);
  });

  test("a key's scopes and budget hold", async () => {
    await using reader = await connect('auto', {
      key: await platform.createKey(account, { scopes: ['read'] }),
    });
    assert.match((await reader.call('create_image', { prompt, max_credits: 20 })).text, /^forbidden: /);
    await using poor = await connect('auto', { key: await platform.createKey(account, { dailyBudget: 1 }) });
    assert.match((await poor.call('create_image', { prompt, max_credits: 20 })).text, /^budget_exceeded: /);
  });

  test('no list changes here: who wants to hear of it is answered, and the stream ends', async () => {
    for (const era of ['legacy', 'auto'] as const) {
      await using mcp = await connect(era);
      const { tools, resources } = mcp.client.getServerCapabilities() ?? {};
      assert.ok(tools !== undefined && resources !== undefined);
      assert.deepEqual([tools.listChanged ?? false, resources.listChanged ?? false], [false, false]);
    }
    const version = '2026-07-28';
    const answer = await fetch(new URL('/mcp', platform.serviceUrls[0]), {
      method: 'POST',
      signal: AbortSignal.timeout(10_000),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true, resourcesListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': version,
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /acknowledged[^]*"notifications":\{\}[^]*"complete"/);
  });

  test('who has no key, a wrong body or a page elsewhere is refused in the shape of JSON-RPC', async () => {
    const url = new URL('/mcp', platform.serviceUrls[0]);
    const post = (body: string, headers: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      });
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const keyed = { authorization: `Bearer ${key}` };
    const nobody = await post(list, {});
    assert.deepEqual([nobody.status, nobody.headers.get('www-authenticate')], [401, 'Bearer']);
    const { error } = (await nobody.json()) as { error: { message: string; data: { code: string } } };
    assert.equal(error.data.code, 'unauthorized');
    assert.equal((await post(list, { ...keyed, origin: 'https://evil.example' })).status, 403);
    assert.equal((await post('{', keyed)).status, 400);
    const huge = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(300_000) });
    assert.equal((await post(huge, keyed)).status, 400);
    assert.equal((await fetch(url, { headers: keyed })).status, 405);
    assert.equal((await post(list, keyed)).status, 200);
  });

  const stdioPrograms = [
    ['legacy', '@renderkit/mcp', 'src/main.ts', []],
    ['auto', '@renderkit/cli', 'src/main.ts', ['mcp']],
  ] as const;
  for (const [era, name, file, words] of stdioPrograms) {
    test(`${era}: over stdio by ${name}, with the files of this machine and a person who is asked`, async () => {
      const client = newClient(era, { action: 'accept', content: { approve: true } });
      const main = fileURLToPath(import.meta.resolve(`${name}/package.json`)).replace('package.json', file);
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: ['--conditions=renderkit-source', main, ...words],
          env: {
            ...inheritedEnvironment(),
            RENDERKIT_BASE_URL: platform.serviceUrls[0] ?? '',
            RENDERKIT_API_KEY: await platform.createKey(account, { confirmAbove: 1 }),
          },
        }),
      );
      await using mcp = new Connected(client);
      assert.match((await mcp.call('import_media', { path: '/no/such/file' })).text, /could not be opened/);
      const made = await mcp.call('create_image', { prompt, max_credits: 20, wait_seconds: 0 });
      assert.ok(!made.isError, made.text);
      assert.match((await mcp.call('account', {})).text, /credits/);
    });
  }
});

/** Publishes a model at this price, and waits until the service uses the price. */
async function publish(platform: Platform, sdk: Renderkit, credits: number): Promise<void> {
  const file = path.join(platform.directory, 'priced.model.yaml');
  await writeFile(
    file,
    `manifest: 1
id: priced
name: Priced
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }] }
price: { base_millicredits: ${credits * 1_000} }
routes:
  - { name: drawn, engine: procedural, on: [procedural], model: atelier, outputs: { kind: image, max_per_job: 1 } }
`,
  );
  await platform.operator('apply', '--file', file);
  const request = { kind: 'image', model: 'priced', prompt } as const;
  const price = () =>
    sdk.estimate(request).then(
      (estimate) => estimate.credits,
      () => undefined,
    );
  while ((await price()) !== credits) await setTimeout(50);
}

/** Connects to tools in this process. Their creates wait for `beforeCreate`. */
async function connectInProcess(
  platform: Platform,
  key: string,
  beforeCreate: () => Promise<void>,
): Promise<Connected> {
  const mcp = createMcpHttp({
    baseUrl: platform.serviceUrls[0] ?? '',
    confirmationSecret: randomBytes(32),
    fetch: async (url, init) => {
      if (url.endsWith('/images/generations')) await beforeCreate();
      return fetch(url, init);
    },
    onError: (error) => {
      throw error;
    },
  });
  const call = {
    body: undefined,
    credentials: { authorization: `Bearer ${key}` },
    purchases: {
      take: async () => ({ idempotencyKey: randomUUID(), repeated: false, end: async () => {} }),
    },
    signal: new AbortController().signal,
  };
  const client = newClient('auto', undefined);
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      fetch: (url, init) => mcp.handle({ ...call, request: new Request(url, init) }),
    }),
  );
  return new Connected(client);
}

/** Waits until the generation has ended: a busy machine may take longer than one call. */
async function ended(mcp: Connected, answer: Answer): Promise<Answer> {
  const { id, status } = answer.data as { id: string; status: string };
  if (status !== 'queued' && status !== 'running') return answer;
  return ended(mcp, await mcp.call('get_generation', { id, wait_seconds: 45 }));
}
