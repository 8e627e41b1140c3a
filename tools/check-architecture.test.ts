import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { checkSources } from './architecture/check-sources.ts';
import { readSources } from './architecture/read-sources.ts';
import { workspaces } from './architecture/rules.ts';

test('the tree keeps the rules of the architecture', async () => {
  const sources = await readSources(path.resolve(import.meta.dirname, '..'), Object.keys(workspaces));
  assert.ok(sources.length > 50);
  assert.deepEqual(checkSources(sources), []);
});
