import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { imageEditExamples } from '@renderkit/contract/studio/examples/image-edit.ts';
import { imageExamples } from '@renderkit/contract/studio/examples/image.ts';
import {
  exampleModel,
  exampleModels,
  exampleStyles,
  exampleSuggestions,
} from '@renderkit/contract/studio/examples/models.ts';
import { videoExtendExamples } from '@renderkit/contract/studio/examples/video-extend.ts';
import { videoExamples } from '@renderkit/contract/studio/examples/video.ts';
import type { Kind } from '@renderkit/contract/studio/kinds.ts';
import type { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { requireAge, validateBody } from './validate-body.ts';

const catalog: Catalog = {
  version: 'v1',
  plan: 'plus',
  models: [
    ...Object.values(exampleModels),
    exampleModel({ id: 'pro-only', default_for: [], tiers: ['pro'] }),
  ],
  styles: [...exampleStyles],
  suggestions: [...exampleSuggestions],
};
const examples = {
  image: imageExamples,
  image_edit: imageEditExamples,
  video: videoExamples,
  video_extend: videoExtendExamples,
};
/** A valid body of each kind, for the default model. */
const right = {
  image: { prompt: 'a boat' },
  image_edit: { image: 'lib_1', prompt: 'in winter' },
  video: { prompt: 'clouds drift' },
  video_extend: { video_id: 'lib_1' },
} satisfies Record<Kind, object>;

function problemOf(work: () => unknown): ApiProblem | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ApiProblem);
    return error;
  }
}

/** Returns the refused fields, in order; none when the body is valid. */
function refusedFields(kind: Kind, body: object, of: Catalog = catalog): string[] {
  const problem = problemOf(() => validateBody(of, kind, body));
  assert.ok(problem === undefined || problem.code === 'invalid_request');
  for (const { message } of problem?.errors ?? []) assert.notEqual(message, '');
  return (problem?.errors ?? []).map(({ field }) => field);
}

for (const kind of ['image', 'image_edit', 'video'] as const)
  test(`a create of the kind ${kind} is refused for what the contract finds wrong, field by field`, () => {
    for (const { about, model, asked, issues } of examples[kind]) {
      const fields = refusedFields(kind, { model, ...asked });
      assert.deepEqual(
        fields,
        issues.map(({ field }) => field),
        about,
      );
    }
  });

test('an extension, which names no model, is refused for what the contract finds wrong with the default', () => {
  for (const { about, asked, issues } of videoExtendExamples.filter(({ model }) => model === 'onward'))
    assert.deepEqual(
      refusedFields('video_extend', asked),
      issues.map(({ field }) => field),
      about,
    );
});

describe('the model', () => {
  test('is the default of the kind where none is named', () => {
    const models = (Object.keys(right) as Kind[]).map((kind) => validateBody(catalog, kind, right[kind]));
    assert.deepEqual(
      models.map(({ model, lane, costMillicredits, outputs }) => [model.id, lane, costMillicredits, outputs]),
      [
        ['plain', 'image', 4_000, 1],
        ['brush', 'edit', 3_000, 1],
        ['reel', 'video', 20_000, 1],
        // An extension counts in the lane of videos.
        ['onward', 'video', 9_000, 1],
      ],
    );
  });

  test('must be one of the catalog, for this kind', () => {
    for (const model of ['nobody', '', '__proto__', 'reel'])
      assert.deepEqual(refusedFields('image', { ...right.image, model }), ['model'], model);
    assert.deepEqual(refusedFields('image_edit', { ...right.image_edit, model: 'plain' }), ['model']);
    assert.deepEqual(refusedFields('video', { ...right.video, model: 'plain' }), ['model']);
  });

  test('must be named where the catalog has no default, and is missed where nothing extends', () => {
    const none = { ...catalog, models: [exampleModel({ default_for: [] })] };
    assert.deepEqual(refusedFields('image', right.image, none), ['model']);
    const problem = problemOf(() => validateBody(none, 'video_extend', right.video_extend));
    assert.equal(problem?.code, 'invalid_request');
  });

  test('outside the plan is tier_required, after its fields are right', () => {
    const body = { ...right.image, model: 'pro-only' };
    const codeOf = (plan: string | null, changes: object = {}) =>
      problemOf(() => validateBody({ ...catalog, plan }, 'image', { ...body, ...changes }))?.code;
    assert.equal(codeOf('plus'), 'tier_required');
    assert.equal(codeOf('plus', { cfg: 1 }), 'invalid_request');
    assert.equal(codeOf('pro'), undefined);
    assert.equal(codeOf(null), 'tier_required');
    assert.equal(codeOf(null, { model: 'plain' }), undefined);
  });

  test('for adults needs a verified age', () => {
    const adult = exampleModel({ nsfw: true });
    assert.equal(problemOf(() => requireAge(adult, false))?.code, 'forbidden');
    assert.equal(
      problemOf(() => requireAge(adult, true)),
      undefined,
    );
    assert.equal(
      problemOf(() => requireAge(exampleModels.plain, false)),
      undefined,
    );
  });
});

describe('the price', () => {
  const cases: [string, Kind, object, number][] = [
    ['a toggle of the default', 'image', { model: 'character/rich' }, 6_250],
    [
      'options and references',
      'image',
      {
        model: 'character/rich',
        options: { finish: 'fine', grain: false },
        reference_images: ['lib_1', 'lib_2'],
      },
      6_000 + 2_000 + 2 * 500,
    ],
    ['an option of an edit', 'image_edit', { model: 'blunt', options: { look: 'wild' } }, 3_500],
    ['the length of a video', 'video', { duration: 10 }, 30_000],
    ['the same length as text', 'video', { duration: '10' }, 30_000],
    ['resolution and length', 'video_extend', { resolution: '720p', duration: '7.5' }, 5_000 + 4_000 + 7_500],
  ];
  for (const [what, kind, body, millicredits] of cases)
    test(`counts ${what}`, () => {
      const { costMillicredits } = validateBody(catalog, kind, { ...right[kind], ...body });
      assert.equal(costMillicredits, millicredits);
    });
});

test('what is sent goes to the studio as sent, but for the metadata', () => {
  const [, everything] = imageExamples;
  const body = { model: everything?.model, ...everything?.asked };
  const { renderRequest } = validateBody(catalog, 'image', { ...body, metadata: { order: '1' } });
  assert.deepEqual(renderRequest, { kind: 'image', ...body });
});

describe('all that is wrong is told at once, with a model and without', () => {
  const ofModel = {
    image: {
      base_model: 'x',
      options: { x: 1, detail: 99 },
      aspect_ratio: 'x',
      cfg: 99,
      weight: 99,
      clip_skip: 99,
      sampler: 'x',
    },
    image_edit: { aspect_ratio: 'x', cfg: 1 },
    video: { aspect_ratio: 'x', duration: 6 },
  };
  const ofAny = {
    image: { reference_images: ['ftp:x', 'a', 'b'], styles: ['x'], suggestions: ['x'] },
    image_edit: { image: 'ftp://x', mask: 'x', inpaint_type: 'fill', mask_blur: 99, styles: ['x'] },
    video: { start_image: 'a:b', end_image: 'a:b', source_video: 'a:b', styles: ['ink'] },
  };
  const model = { image: 'character/rich', image_edit: 'brush', video: 'reel' };
  for (const kind of ['image', 'image_edit', 'video'] as const)
    test(kind, () => {
      const body = { ...ofModel[kind], ...ofAny[kind] };
      const namesOf = (fields: string[]) =>
        [...new Set(fields.map((field) => field.replace(/[[.].*$/, '')))].sort();
      assert.deepEqual(
        namesOf(refusedFields(kind, { ...body, model: model[kind] })),
        ['prompt', ...Object.keys(body)].sort(),
      );
      assert.deepEqual(
        namesOf(refusedFields(kind, { ...body, model: 'nobody' })),
        ['model', ...Object.keys(ofAny[kind])].sort(),
      );
    });
});
