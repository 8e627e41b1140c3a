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
    assert.deepEqual(Object.keys(proposed.model.files), ['team-one.workflow.json']);
    assert.deepEqual(proposed.problems, []);
    assert.ok(proposed.parameters.some(({ source }) => source === 'prompt'));
    assert.deepEqual(readModelTexts(proposed.model.source, proposed.model.files).problems, []);
  });

test('a range that an input of the machine does not take is refused before it is offered', async () => {
  const sampler = coreClasses.get('KSampler');
  assert.ok(sampler !== undefined);
  const inputs = sampler.inputs.map((one) =>
    one.name === 'seed' ? { ...one, options: new Map([...one.options, ['max', 1000]]) } : one,
  );
  const narrow = new Map([...coreClasses, ['KSampler', { ...sampler, inputs }] as const]);
  const { problems } = await proposeModel(readerOf(readFileSync(path.join(shapes, 'sdxl.api.json'))), {
    id: 'one',
    name: 'One',
    on: 'gpu1',
    price: { base_millicredits: 1000 },
    classesOf: () => Promise.resolve(narrow),
  });
  const [problem, ...others] = problems;
  assert.deepEqual([problem?.code, others], ['binding_range', []]);
  assert.match(problem?.message ?? '', /seed can be 0 to 4294967295, and gpu1 takes 0 to 1000 there/);
});
