import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { RequestOf } from '@renderkit/contract/studio/schemas/render.ts';
import type { AccountFacts } from '../authentication/queries.ts';
import { builtInCatalog } from '../catalog/built-in.ts';
import { validateRender } from './validate-render.ts';

let catalog: Awaited<ReturnType<typeof builtInCatalog>>;
before(async () => {
  catalog = await builtInCatalog();
});
const account = { tier: 'pro', age_verified: true } as AccountFacts;
const inpaint: RequestOf<'image_edit'> = {
  kind: 'image_edit',
  model: 'retouch-1',
  project_id: null,
  prompt: 'a red door',
  styles: [],
  suggestions: [],
  options: {},
  reference_images: [],
  image: 'ast_1',
  mode: 'inpaint',
  mask: 'ast_2',
};

test('a model that only fills refuses to refine, also where nothing is said', () => {
  const found = catalog.models.get('retouch-1');
  assert.ok(found !== undefined);
  const model = { ...found, inpaintTypes: ['fill'] as const };
  const refusalOf = (type?: 'refine' | 'fill') =>
    validateRender({ ...inpaint, ...(type && { inpaint_type: type }) }, model, account).refusal;
  for (const refused of [refusalOf('refine'), refusalOf()]) {
    assert.equal(refused?.field, 'inpaint_type');
    assert.match(refused.message, /Retouch takes inpaint_type fill alone/);
  }
  assert.equal(refusalOf('fill'), undefined);
  assert.equal(validateRender(inpaint, found, account).refusal, undefined);
});
