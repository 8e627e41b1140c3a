import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { engineNames } from '@renderkit/engine-kit/route.ts';
import { findCatalogFiles, isBroken, readCatalogFile } from '../src/catalog/read-files.ts';

const root = path.resolve(import.meta.dirname, '../..');
const engines = path.join(root, 'engines');
/** The examples of the built-in engines are the product's models. */
const folders = [
  path.join(root, 'studio/models'),
  ...readdirSync(engines)
    .map((name) => path.join(engines, name, 'examples'))
    .filter((folder) => existsSync(folder)),
];

test('every engine has an example, and every example could be offered', async () => {
  const shown = new Set<string>();
  for (const folder of folders)
    for (const file of await findCatalogFiles(folder)) {
      const read = await readCatalogFile(file);
      assert.ok(!isBroken(read), `${file}: ${isBroken(read) ? JSON.stringify(read.problems) : ''}`);
      if (read.kind === 'model') for (const { engine } of read.model.manifest.routes) shown.add(engine);
    }
  assert.deepEqual([...shown].sort(), [...engineNames].sort());
});
