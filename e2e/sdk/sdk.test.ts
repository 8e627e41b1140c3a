// The client against a whole platform: what it promises of any server, and its README as it stands.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import Renderkit from 'renderkit';
import { conformanceCases } from 'renderkit/conformance';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import { packClient } from './pack.ts';

const run = promisify(execFile);

/** The smallest PNG that is one. */
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

describe('the client', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform[Symbol.asyncDispose]());

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

  test('its README does what it says', async () => {
    await using packed = await packClient();
    const readme = await readFile(path.join(packed.installed, 'README.md'), 'utf8');
    const [example = ''] = /(?<=```ts\n).*?(?=```)/s.exec(readme) ?? [];
    const program = path.join(packed.folder, 'readme.ts');
    await writeFile(program, example);
    const { baseUrl, apiKey } = await newKey();
    const environment = inheritedEnvironment();
    const { stdout } = await run(process.execPath, ['--no-warnings', program], {
      cwd: packed.folder,
      env: { ...environment, RENDERKIT_BASE_URL: baseUrl, RENDERKIT_API_KEY: apiKey },
    });
    assert.match(stdout, /^\d+(\.\d+)? credits estimated, \d+(\.\d+)? charged, \d+ pictures$/m);
    assert.match(stdout, /^gen_\S+ succeeded$/m);
    for (const saved of ['lighthouse.jpg', 'clouds.mp4']) {
      assert.ok((await stat(path.join(packed.folder, saved))).size > 1_000, saved);
    }
  });
});
