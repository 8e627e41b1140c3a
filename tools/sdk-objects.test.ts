import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sdkObjectsText } from './sdk-objects.ts';

test('the objects of the SDK are what the OpenAPI document says', async () => {
  const file = await readFile(new URL('../clients/sdk/src/objects.generated.ts', import.meta.url), 'utf8');
  assert.equal(file, sdkObjectsText(), 'run `node stack/launch.mjs --dev tools/generate-sdk-objects.ts`');
});
