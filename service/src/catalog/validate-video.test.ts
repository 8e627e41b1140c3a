import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestOf } from '@renderkit/contract/studio/schemas/render.ts';
import type { CreateVideoRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { exampleCatalog, exampleVideoModel } from '../../test/example-catalog.ts';
import { refusedFields } from '../../test/refused-fields.ts';
import { validateBody } from './validate-body.ts';

const none = { start: false, start_required: false, end: false, end_required: false };
const catalog = {
  ...exampleCatalog(),
  models: [
    exampleVideoModel(),
    exampleVideoModel({
      id: 'words-only',
      default_for: [],
      parameters: {
        frames: none,
        audio: null,
        source_video: null,
        max_reference_images: 0,
        durations: [],
        video_aspect_ratios: [],
      },
    }),
    exampleVideoModel({
      id: 'from-start',
      default_for: [],
      prompt_required: false,
      parameters: {
        same_ratio_supported: true,
        frames: { ...none, start: true, start_required: true },
        durations: [{ value: '2.5', label: 'short' }],
      },
    }),
    exampleVideoModel({
      id: 'both-ends',
      default_for: [],
      parameters: { frames: { start: true, start_required: true, end: true, end_required: true } },
    }),
    exampleVideoModel({ id: 'pro-reel', default_for: [], tiers: ['pro'] }),
    exampleVideoModel({
      id: 'odd',
      default_for: [],
      parameters: {
        durations: [
          { value: 'auto', label: 'Auto' },
          { value: '3', label: '3 s' },
        ],
      },
    }),
  ],
};
const validate = (body: CreateVideoRequest) => {
  const validated = validateBody(catalog, 'video', body);
  return { ...validated, renderRequest: validated.renderRequest as RequestOf<'video'> };
};
const refused = (body: CreateVideoRequest) => refusedFields(catalog, 'video', body);
const fine: CreateVideoRequest = { prompt: 'clouds drift' };

describe('a video', () => {
  test('from words alone has the first ratio and the first length of the model', () => {
    const validated = validate(fine);
    assert.deepEqual(validated.renderRequest, {
      kind: 'video',
      model: 'reel',
      project_id: null,
      prompt: 'clouds drift',
      styles: [],
      suggestions: [],
      options: {},
      reference_images: [],
      aspect_ratio: '16:9',
      duration_seconds: 5,
    });
    assert.deepEqual([validated.lane, validated.costMillicredits, validated.outputs], ['video', 20_000, 1]);
  });

  test('of 10 and of "10" seconds is the same, and costs by the second', () => {
    const [number, text] = [10, '10'].map((duration) => validate({ ...fine, duration }));
    assert.deepEqual(number, text);
    assert.deepEqual([number?.renderRequest.duration_seconds, number?.costMillicredits], [10, 30_000]);
    const from = { model: 'from-start', start_image: 'lib_1' };
    for (const duration of [undefined, 2.5, '2.5'])
      assert.equal(validate({ ...from, duration }).renderRequest.duration_seconds, 2.5);
  });

  test('goes to the studio with all that it was given', () => {
    const body: CreateVideoRequest = {
      ...fine,
      aspect_ratio: '1:1',
      duration: 5,
      reference_images: ['lib_1'],
      start_image: 'lib_2',
      end_image: 'lib_3',
      reference_audios: ['lib_4'],
      source_video: 'lib_5',
      styles: ['film'],
      metadata: { order: '1' },
    };
    const { duration: _, metadata: __, ...sent } = body;
    assert.deepEqual(validate(body).renderRequest, {
      kind: 'video',
      model: 'reel',
      project_id: null,
      suggestions: [],
      options: {},
      duration_seconds: 5,
      ...sent,
    });
  });

  test('keeps the ratio of its first frame where the model can and none is asked for', () => {
    const from = { model: 'from-start', start_image: 'lib_1' };
    assert.ok(!('aspect_ratio' in validate(from).renderRequest));
    assert.equal(validate({ ...from, aspect_ratio: '1:1' }).renderRequest.aspect_ratio, '1:1');
    assert.equal(validate({ ...fine, start_image: 'lib_1' }).renderRequest.aspect_ratio, '16:9');
  });

  const cases: [string, CreateVideoRequest, string[]][] = [
    ['a model for images', { ...fine, model: 'plain' }, ['model']],
    ['no prompt', {}, ['prompt']],
    ['a length not on offer', { ...fine, duration: 6 }, ['duration']],
    ['a length in other words', { ...fine, duration: '5 s' }, ['duration']],
    ['an empty length', { ...fine, duration: '' }, ['duration']],
    ['a negative length', { ...fine, duration: -5 }, ['duration']],
    ['a length with zeros', { ...fine, duration: '05' }, ['duration']],
    ['a length where there is none', { ...fine, model: 'words-only', duration: 5 }, ['duration']],
    ['a length that is no number of seconds', { ...fine, model: 'odd', duration: 'auto' }, ['duration']],
    ['a ratio not on offer', { ...fine, aspect_ratio: '4:3' }, ['aspect_ratio']],
    ['a ratio where there is none', { ...fine, model: 'words-only', aspect_ratio: '1:1' }, ['aspect_ratio']],
    ['a first frame not taken', { ...fine, model: 'words-only', start_image: 'a' }, ['start_image']],
    ['a last frame not taken', { ...fine, model: 'words-only', end_image: 'a' }, ['end_image']],
    ['no first frame where one is required', { model: 'from-start' }, ['start_image']],
    ['neither frame', { ...fine, model: 'both-ends' }, ['start_image', 'end_image']],
    ['no last frame', { ...fine, model: 'both-ends', start_image: 'a' }, ['end_image']],
    ['a last frame alone', { ...fine, end_image: 'a' }, []],
    ['sound not taken', { ...fine, model: 'words-only', reference_audios: ['a'] }, ['reference_audios']],
    ['no sound, said so', { ...fine, model: 'words-only', reference_audios: [] }, []],
    ['too much sound', { ...fine, reference_audios: ['a', 'b'] }, ['reference_audios']],
    ['sound over http', { ...fine, reference_audios: ['http://x/a.mp3'] }, ['reference_audios[0]']],
    ['a source not taken', { ...fine, model: 'words-only', source_video: 'a' }, ['source_video']],
    ['a source over http', { ...fine, source_video: 'http://x/a.mp4' }, ['source_video']],
    ['too many references', { ...fine, reference_images: ['a', 'b'] }, ['reference_images']],
    ['a style for images', { ...fine, styles: ['ink'] }, ['styles[0]']],
    ['an option that is none', { ...fine, options: { x: 1 } }, ['options.x']],
    ['cfg where there is none', { ...fine, cfg: 7 }, ['cfg']],
  ];
  for (const [what, body, fields] of cases)
    test(`with ${what} is ${fields.length === 0 ? 'fine' : `refused at ${fields.join(', ')}`}`, () => {
      assert.deepEqual(refused(body), fields);
    });

  test('is told all that is wrong at once, with a model and without', () => {
    const references = {
      reference_images: ['a:b', 'x'],
      reference_audios: ['a:b', 'x'],
      start_image: 'a:b',
      end_image: 'a:b',
      source_video: 'a:b',
    };
    const places = ['end_image', 'reference_audios[0]', 'reference_images[0]', 'source_video', 'start_image'];
    assert.deepEqual(
      refused({ ...references, duration: 6, aspect_ratio: 'x', styles: ['ink'] }).sort(),
      [
        ...places,
        'aspect_ratio',
        'duration',
        'prompt',
        'reference_audios',
        'reference_images',
        'styles[0]',
      ].sort(),
    );
    assert.deepEqual(refused({ ...references, model: 'nobody' }).sort(), [...places, 'model'].sort());
  });

  test('by a model outside the plan is tier_required, once its fields are right', () => {
    const body = { ...fine, model: 'pro-reel' };
    assert.throws(() => validate(body), { code: 'tier_required' });
    assert.throws(() => validate({ ...body, duration: 6 }), { code: 'invalid_request' });
  });
});
