// Vercel's AI SDK, by both of its providers that speak OpenAI's API.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateImage, type ImageModel } from 'ai';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';

describe('the AI SDK', () => {
  let platform: Platform;
  let settings: { baseURL: string; apiKey: string };
  before(async () => {
    platform = await startPlatform();
    const account = await platform.createAccount({ tier: 'pro', credits: 200 });
    settings = {
      baseURL: `${platform.serviceUrls[0]}/openai/v1`,
      apiKey: await platform.createKey(account),
    };
  });
  after(() => platform[Symbol.asyncDispose]());

  const providers: Record<string, (id: string) => ImageModel> = {
    openai: (id) => createOpenAI(settings).image(id),
    'openai-compatible': (id) => createOpenAICompatible({ name: 'renderkit', ...settings }).imageModel(id),
  };

  for (const [name, modelOf] of Object.entries(providers)) {
    test(`${name}: pictures of one call, each its own`, async () => {
      const { images } = await generateImage({
        model: modelOf('sandbox-slow'),
        prompt: 'a lighthouse',
        n: 2,
        size: '256x256',
        providerOptions: { [name === 'openai' ? 'openai' : 'renderkit']: { options: { seconds: 1 } } },
      });
      assert.equal(images.length, 2);
      for (const { uint8Array } of images)
        assert.equal(Buffer.from(uint8Array).toString('latin1', 1, 4), 'PNG');
    });

    test(`${name}: a failure is told and not tried again`, async () => {
      const made = await generationsOf();
      await assert.rejects(
        generateImage({ model: modelOf('sandbox-fail'), prompt: 'a lighthouse', maxRetries: 0 }),
        /could not finish the generation/,
      );
      assert.equal(await generationsOf(), made + 1);
    });
  }

  async function generationsOf(): Promise<number> {
    const answer = await fetch(`${platform.serviceUrls[0]}/v1/generations?limit=100`, {
      headers: { authorization: `Bearer ${settings.apiKey}` },
    });
    return ((await answer.json()) as { data: unknown[] }).data.length;
  }
});
