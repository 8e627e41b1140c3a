import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleEditModel, exampleModel } from '@renderkit/contract/studio/examples/models.ts';
import { indexOf } from '../../catalog/catalog-index.ts';
import type { a1111Fields, FieldsOf } from '../field-tables.ts';
import { readA1111Request } from './image-request.ts';

const index = indexOf({
  version: 'v1',
  plan: 'plus',
  models: [
    exampleModel(),
    exampleEditModel(),
    exampleEditModel({ id: 'hard', default_for: [], parameters: { mask_blur: null } }),
    exampleEditModel({ id: 'square', default_for: [], parameters: { same_ratio_supported: false } }),
  ],
  styles: [],
  suggestions: [],
});
const picture = { reference: 'upl_1', identity: 'a' };
const read = (fields: FieldsOf<typeof a1111Fields>, changes: boolean) =>
  readA1111Request(index, fields, {
    chosenModel: undefined,
    ...(changes && { sources: { images: [picture], mask: picture } }),
  });

const of = (name: string) => ({ override_settings: { sd_model_checkpoint: name } });

test('a size is told where it is known, and not where it is that of the picture that changes', () => {
  assert.equal(read({}, false).size, '64x64');
  assert.equal(read({}, true).size, undefined);
  assert.equal(read({ width: 512, height: 512 }, true).size, '64x64');
  assert.equal(read(of('square'), true).size, '64x64', 'the model keeps no shape');
});

test('settings that the model does not have are named', () => {
  const fields = { cfg_scale: 7, clip_skip: 2, mask_blur: 4 };
  assert.deepEqual(read(fields, false).ignored, ['cfg_scale', 'clip_skip']);
  assert.deepEqual(read(fields, true).ignored, ['cfg_scale', 'clip_skip']);
  assert.deepEqual(read({ ...fields, ...of('hard') }, true).ignored, ['cfg_scale', 'clip_skip', 'mask_blur']);
});
