import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestOf } from '@renderkit/contract/studio/schemas/render.ts';
import type { ExtendVideoRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { exampleCatalog, exampleExtendModel, exampleModel } from '../../test/example-catalog.ts';
import { refusedFields } from '../../test/refused-fields.ts';
import { validateBody } from './validate-body.ts';

const catalogOf = (...models: ReturnType<typeof exampleExtendModel>[]) => ({ ...exampleCatalog(), models });
const catalog = catalogOf(exampleModel(), exampleExtendModel());
const validate = (body: ExtendVideoRequest) => {
  const validated = validateBody(catalog, 'video_extend', body);
  return { ...validated, renderRequest: validated.renderRequest as RequestOf<'video_extend'> };
};
const refused = (body: ExtendVideoRequest, of = catalog) => refusedFields(of, 'video_extend', body);
const fine: ExtendVideoRequest = { video_id: 'lib_1' };

describe('an extension', () => {
  test('is made by the default extend model, in its first length and its default resolution', () => {
    const validated = validate(fine);
    assert.deepEqual(validated.renderRequest, {
      kind: 'video_extend',
      model: 'onward',
      project_id: null,
      prompt: '',
      styles: [],
      suggestions: [],
      options: { resolution: '480p' },
      reference_images: [],
      duration_seconds: 4,
      video_id: 'lib_1',
      resolution: '480p',
    });
    // An extension takes a place among the videos.
    assert.deepEqual([validated.lane, validated.costMillicredits, validated.outputs], ['video', 9_000, 1]);
  });

  test('costs by its resolution and its length', () => {
    const validated = validate({ ...fine, resolution: '720p', duration: '7.5' });
    assert.deepEqual(
      [validated.renderRequest.resolution, validated.renderRequest.options['resolution']],
      ['720p', '720p'],
    );
    assert.equal(validated.costMillicredits, 5_000 + 4_000 + 7_500);
  });

  const cases: [string, ExtendVideoRequest, string[]][] = [
    ['a resolution not on offer', { ...fine, resolution: '8k' }, ['resolution']],
    ['an empty resolution', { ...fine, resolution: '' }, ['resolution']],
    ['a length not on offer', { ...fine, duration: 5 }, ['duration']],
    ['an upload for its video', { video_id: 'upl_1' }, ['video_id']],
    ['an address for its video', { video_id: 'https://example.com/a.mp4' }, ['video_id']],
    ['a style for images', { ...fine, styles: ['ink'] }, ['styles[0]']],
    ['a style for videos', { ...fine, styles: ['film'] }, []],
    ['an empty project', { ...fine, project_id: '' }, ['project_id']],
    [
      'all of it wrong',
      { video_id: 'upl_1', resolution: 'x', duration: 'x', styles: ['x'], suggestions: ['x'] },
      ['styles[0]', 'suggestions[0]', 'video_id', 'duration', 'resolution'],
    ],
  ];
  for (const [what, body, fields] of cases)
    test(`with ${what} is ${fields.length === 0 ? 'fine' : `refused at ${fields.join(', ')}`}`, () => {
      assert.deepEqual(refused(body), fields);
    });

  test('of a model without resolutions takes none', () => {
    const plain = catalogOf(exampleExtendModel({ parameters: { options: [] } }));
    assert.deepEqual(refused({ ...fine, resolution: '480p' }, plain), ['resolution']);
    const { renderRequest } = validateBody(plain, 'video_extend', fine);
    assert.ok(!('resolution' in renderRequest));
  });

  test('wants a prompt where the model does', () => {
    const wordy = catalogOf(exampleExtendModel({ prompt_required: true }));
    assert.deepEqual(refused(fine, wordy), ['prompt']);
    assert.deepEqual(refused({ ...fine, prompt: 'the sun sets' }, wordy), []);
  });

  test('where no model extends is refused, and outside the plan is tier_required', () => {
    assert.throws(() => validateBody(catalogOf(exampleModel()), 'video_extend', fine), {
      code: 'invalid_request',
    });
    const pro = catalogOf(exampleExtendModel({ tiers: ['pro'] }));
    assert.throws(() => validateBody(pro, 'video_extend', fine), { code: 'tier_required' });
  });
});
