import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { consolePathsText } from './console-paths.ts';

test('the console asks where the contract says', async () => {
  const kept = await readFile(new URL('../console/src/api/paths.ts', import.meta.url), 'utf8');
  assert.equal(kept.replaceAll('\r\n', '\n'), consolePathsText(), 'run tools/generate-console-paths.ts');
});
