// Tests what OpenAI's own package offers in addition to one picture: sizes, links, streams, models.
// packages.slow.test.ts tests its errors.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import type { Platform } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';

const prompt = 'a lighthouse above a calm sea at dusk';
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

describe("OpenAI's package", () => {
  let platform: Platform;
  let openai: OpenAI;
  before(async () => {
    platform = await sharedPlatform();
    const account = await platform.createAccount({ tier: 'pro', credits: 500 });
    openai = new OpenAI({
      baseURL: `${platform.serviceUrls[0]}/openai/v1`,
      apiKey: await platform.createKey(account),
    });
  });

  test('a picture as base64, with what it cost and which generation it was', async () => {
    const { data, response } = await openai.images
      .generate({ model: 'dall-e-3', prompt, size: '1792x1024', quality: 'hd', user: 'ada' })
      .withResponse();
    const bytes = Buffer.from(data.data?.[0]?.b64_json ?? '', 'base64');
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
    assert.match(response.headers.get('x-renderkit-generation') ?? '', /^gen_\w+$/);
    assert.equal(response.headers.get('x-renderkit-ignored'), 'quality');
    assert.ok(Number(response.headers.get('x-renderkit-credits')) > 0);
    assert.equal(data.size, `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`);
    assert.ok(bytes.readUInt32BE(16) > bytes.readUInt32BE(20), 'it is wide, as it was asked for');
  });

  test('several pictures of one seed are several, and the same ones again', async () => {
    const draw = async () => {
      const { data } = await openai.images.generate({
        model: 'sketch-1',
        prompt,
        n: 3,
        ...({ seed: 4_294_967_294 } as object),
      });
      return data?.map((one) => one.b64_json);
    };
    const pictures = await draw();
    assert.equal(new Set(pictures).size, 3);
    assert.deepEqual(await draw(), pictures);
  });

  test('links lead to the same origin, give parts of files, and need no key', async () => {
    const { data } = await openai.images.generate({ prompt, n: 2, response_format: 'url' });
    assert.equal(data?.length, 2);
    const url = data[0]?.url ?? '';
    assert.equal(new URL(url).origin, new URL(platform.serviceUrls[0] ?? '').origin);
    const part = await fetch(url, { headers: { range: 'bytes=0-9' } });
    assert.deepEqual([part.status, (await part.arrayBuffer()).byteLength], [206, 10]);
    assert.equal(part.headers.get('x-content-type-options'), 'nosniff');
  });

  test('a file is changed', async () => {
    const { data, response } = await openai.images
      .edit({ image: await toFile(onePixel, 'image.png', { type: 'image/png' }), prompt })
      .withResponse();
    assert.ok((data.data?.[0]?.b64_json?.length ?? 0) > 100);
    assert.equal(response.headers.has('x-renderkit-size'), false, 'it has the shape of the file');
  });

  test('a field that is null is one that was left out', async () => {
    const image = `data:image/png;base64,${onePixel.toString('base64')}`;
    const requests = {
      '/openai/v1/images/generations': { prompt },
      '/openai/v1/images/edits': { prompt, image },
      '/openai/v1/chat/completions': { model: 'sketch-1', messages: [{ role: 'user', content: prompt }] },
      '/sdapi/v1/txt2img': { prompt },
    };
    const names = ['aspect_ratio', 'project_id', 'mask', 'seed', 'n', 'size', 'style', 'stream', 'user'];
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    for (const [path, fields] of Object.entries(requests)) {
      const answer = await fetch(`${platform.serviceUrls[0]}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${openai.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...nulls, ...fields }),
      });
      assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
      assert.equal(answer.headers.has('x-renderkit-ignored'), false, path);
    }
  });

  test('a stream ends with the picture', async () => {
    const types: string[] = [];
    const stream = await openai.images.generate({ prompt, stream: true, partial_images: 2 });
    for await (const event of stream) types.push(event.type);
    assert.equal(types.at(-1), 'image_generation.completed');
  });

  test('a stream shows pictures on the way, as many as it is asked for at most', async () => {
    const indexes: number[] = [];
    const stream = await openai.images.generate({
      prompt,
      stream: true,
      partial_images: 2,
      size: '1024x1024',
    });
    for await (const event of stream) {
      if (event.type !== 'image_generation.partial_image') continue;
      indexes.push(event.partial_image_index);
      const bytes = Buffer.from(event.b64_json, 'base64');
      assert.deepEqual([...bytes.subarray(0, 2)], [0xff, 0xd8], 'it is a JPEG');
    }
    assert.deepEqual(indexes, [0, 1].slice(0, indexes.length));
    await assert.rejects(openai.images.generate({ prompt, stream: true, partial_images: 4 }), {
      status: 400,
    });
  });

  test('models have the names that clients look for, and our own', async () => {
    const ids = (await Array.fromAsync(openai.models.list())).map(({ id }) => id);
    assert.ok(ids.includes('gpt-image-1') && ids.includes('atelier-1'));
    assert.equal((await openai.models.retrieve('atelier-1')).id, 'atelier-1');
  });
});
