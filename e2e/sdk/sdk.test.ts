// Tests the client with a whole platform: what it promises for any server.

import { before, describe, test } from 'node:test';
import Renderkit from 'renderkit';
import { conformanceCases } from 'renderkit/conformance';
import type { Platform } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';

/** The smallest valid PNG. */
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

describe('the client', () => {
  let platform: Platform;
  before(async () => {
    platform = await sharedPlatform();
  });

  async function newKey(): Promise<{ baseUrl: string; apiKey: string }> {
    const account = await platform.createAccount({ tier: 'pro', credits: 500 });
    return { baseUrl: platform.serviceUrls[0] ?? '', apiKey: await platform.createKey(account) };
  }

  for (const { name, run: tryCase } of conformanceCases) {
    test(`a real service: ${name}`, async () => {
      await tryCase({
        client: new Renderkit(await newKey()),
        succeeding: () => ({ model: 'sandbox-slow', options: { seconds: 1 } }),
        failing: () => ({ model: 'sandbox-fail' }),
        picture: () => new Blob([onePixel], { type: 'image/png' }),
      });
    });
  }
});
