// Tests answers that take longer than proxies wait, and what happens to them.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import OpenAI from 'openai';
import sharp from 'sharp';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';

/** A busy machine may need seconds for short work. */
const heartbeatAfterSeconds = 4;
const slowSeconds = heartbeatAfterSeconds + 2;

describe('an answer that is held', () => {
  let platform: Platform;
  let key: string;
  before(async () => {
    platform = await startPlatform({
      smallPictures: true,
      environment: { FACADE_HEARTBEAT_AFTER_SECONDS: String(heartbeatAfterSeconds) },
    });
    key = await platform.createKey(await platform.createAccount({ tier: 'pro', credits: 100 }));
  });
  after(() => platform[Symbol.asyncDispose]());

  const ask = (model: string, options: object = {}) =>
    fetch(`${platform.serviceUrls[0]}/openai/v1/images/generations`, {
      method: 'POST',
      headers: { 'api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a lighthouse', model, options, response_format: 'url' }),
    });

  test('begins with white space once it takes long, and is JSON all the same', async () => {
    const answer = await ask('sandbox-slow', { seconds: slowSeconds });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('x-renderkit-generation') ?? '', /^gen_/);
    const text = await answer.text();
    assert.match(text, /^ +\{"created":/);
    assert.equal((JSON.parse(text) as { data: unknown[] }).data.length, 1);
  });

  test('of an edit changes what is transparent in its mask, and nothing else', async () => {
    const openai = new OpenAI({ baseURL: `${platform.serviceUrls[0]}/openai/v1`, apiKey: key });
    const size = { width: 256, height: 256 };
    const image = await sharp({ create: { ...size, channels: 3, background: '#3060a0' } })
      .png()
      .toBuffer();
    // The left half is transparent.
    const pixels = Buffer.alloc(size.width * size.height * 4);
    for (let at = 0; at < pixels.length; at += 4) pixels[at + 3] = (at / 4) % size.width < 128 ? 0 : 255;
    const mask = await sharp(pixels, { raw: { ...size, channels: 4 } })
      .png()
      .toBuffer();
    const { data } = await openai.images.edit({
      image: new File([image], 'image.png', { type: 'image/png' }),
      mask: new File([mask], 'mask.png', { type: 'image/png' }),
      prompt: 'a red boat',
      mask_blur: 0,
      inpaint_type: 'fill',
    } as OpenAI.Images.ImageEditParamsNonStreaming);
    const made = sharp(Buffer.from(data?.[0]?.b64_json ?? '', 'base64')).removeAlpha();
    const { width, height } = await made.metadata();
    const mean = async (left: number) => {
      const half = { left, top: 0, width: Math.floor(width / 2) - 8, height };
      const { channels } = await sharp(await made.clone().extract(half).toBuffer()).stats();
      return channels.map(({ mean: value, stdev }) => ({
        value: Math.round(value),
        stdev: Math.round(stdev),
      }));
    };
    const untouched = await mean(Math.ceil(width / 2) + 8);
    assert.deepEqual(
      untouched,
      [0x30, 0x60, 0xa0].map((value) => ({ value, stdev: 0 })),
    );
    assert.notDeepEqual(await mean(0), untouched);
  });
});
