import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readerOf } from '@renderkit/engine-comfyui/byte-reader.ts';
import { coreClasses } from '@renderkit/engine-comfyui/testing/core-classes.ts';
import { proposeModel } from '../src/administration/propose-model.ts';
import { readModelTexts } from '../src/catalog/read-files.ts';

const shapes = path.resolve(import.meta.dirname, '../../engines/comfyui/fixtures/shapes');

for (const shape of readdirSync(shapes).filter((name) => name.endsWith('.api.json')))
  test(`the manifest that is proposed for ${shape} could be offered as it is`, async () => {
    const proposed = await proposeModel(readerOf(readFileSync(path.join(shapes, shape))), {
      id: 'team/one',
      name: 'One',
      on: 'gpu1',
      price: { base_millicredits: 1000 },
      classesOf: () => Promise.resolve(coreClasses),
    });
    assert.deepEqual(Object.keys(proposed.files), ['team-one.workflow.json']);
    assert.ok(proposed.parameters.some(({ source }) => source === 'prompt'));
    const model = readModelTexts(proposed.source, proposed.files);
    assert.ok(!('problems' in model), JSON.stringify(model));
  });
