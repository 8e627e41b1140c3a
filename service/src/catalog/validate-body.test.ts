import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalog, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { CreateImageRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { exampleModel } from '../../test/example-catalog.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { validateBody, requireAge } from './validate-body.ts';

const rich = exampleModel({
  id: 'character/rich',
  default_for: ['image'],
  batch_size: { Conjure: 2 },
  price: {
    base_millicredits: 6_000,
    per_reference_millicredits: 500,
    options: { finish: { fine: 2_000 }, grain: { true: 250 } },
  },
  base_models: { hand: { options: ['soft', 'bold'], default: 'soft' } },
  parameters: {
    ...exampleModel().parameters,
    aspect_ratios: [
      { ratio: '16:9', width: 128, height: 72 },
      { ratio: '1:1', width: 64, height: 64 },
    ],
    cfg: { min: 1, max: 20, step: 0.5, default: 7 },
    weight: { min: 0.3, max: 2, step: 0.1, default: 1 },
    clip_skip: { min: 1, max: 4, step: 1, default: 2 },
    sampler: 'brush, knife',
    max_reference_images: 2,
    options: [
      {
        key: 'finish',
        name: 'Finish',
        type: 'select',
        values: [
          { value: 'standard', label: 'Standard' },
          { value: 'fine', label: 'Fine' },
          { value: '3', label: 'Three' },
        ],
        default: 'standard',
      },
      { key: 'grain', name: 'Grain', type: 'toggle', default: 1 },
      { key: 'detail', name: 'Detail', type: 'slider', min: 1, max: 10, step: 1, default: 6 },
      { key: 'seed', name: 'Seed', type: 'slider', min: -1, max: 4_294_967_295, step: 1, default: -1 },
    ],
  },
});
const catalog: Catalog = {
  version: 'v1',
  plan: 'plus',
  models: [
    exampleModel({ default_for: [] }),
    exampleModel({ id: 'wordless', default_for: [], prompt_required: false }),
    exampleModel({ id: 'pro-only', default_for: [], tiers: ['pro'] }),
    exampleModel({ id: 'adult', default_for: [], nsfw: true }),
    exampleModel({ id: 'motion', suites: ['video'], default_for: ['video'] }),
    rich,
  ],
  styles: [
    { id: 'ink', name: 'Ink', type: 'image', custom: false },
    { id: 'own', name: 'Own', type: 'image', custom: true },
    { id: 'film', name: 'Film', type: 'video', custom: false },
  ],
  suggestions: [
    suggestion('dawn', 'light', ['image']),
    suggestion('noon', 'light', ['image', 'video']),
    suggestion('fog', 'weather', ['image']),
    suggestion('rush', 'motion', ['video']),
    suggestion('loose', null, ['image']),
    suggestion('free', null, ['image']),
  ],
};

function suggestion(id: string, category: string | null, suites: ('image' | 'video')[]) {
  return { id, name: id, category, category_id: category, suites, media_seconds: 0 };
}

/** The fields that are refused, in order. */
function refused(body: CreateImageRequest, of: Catalog = catalog): string[] {
  try {
    validateBody(of, 'image', body);
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiProblem);
    assert.equal(error.code, 'invalid_request');
    for (const { message } of error.errors ?? []) assert.notEqual(message, '');
    return (error.errors ?? []).map(({ field }) => field);
  }
}

const fine: CreateImageRequest = { prompt: 'a boat' };

test('a bare prompt is rendered by the default model with every default filled in', () => {
  const validated = validateBody(catalog, 'image', fine);
  assert.deepEqual(validated.renderRequest, {
    kind: 'image',
    model: 'character/rich',
    base_model: 'soft',
    project_id: null,
    prompt: 'a boat',
    styles: [],
    suggestions: [],
    options: { finish: 'standard', grain: true, detail: 6, seed: -1 },
    aspect_ratio: '16:9',
    cfg: 7,
    weight: 1,
    clip_skip: 2,
    sampler: 'brush',
    reference_images: [],
  });
  assert.equal(validated.lane, 'image');
  assert.equal(validated.outputs, 2);
  assert.equal(validated.costMillicredits, 6_250);
});

test('what is sent goes to the studio as sent', () => {
  const body: CreateImageRequest = {
    model: 'character/rich',
    base_model: 'bold',
    project_id: 'prj_1',
    prompt: 'a boat',
    styles: ['ink', 'own'],
    suggestions: ['dawn', 'fog', 'loose', 'free'],
    options: { finish: 'fine', grain: false, detail: 10, seed: 4_294_967_295 },
    metadata: { order: '1' },
    aspect_ratio: '1:1',
    cfg: 1.5,
    weight: 0.7,
    clip_skip: 4,
    sampler: 'knife',
    reference_images: ['lib_1', 'lib_2'],
  };
  const { renderRequest, costMillicredits } = validateBody(catalog, 'image', body);
  const { metadata: _, ...sent } = body;
  assert.deepEqual(renderRequest, { kind: 'image', ...sent });
  assert.equal(costMillicredits, 6_000 + 2 * 500 + 2_000);
});

test('a model without settings gets none of them', () => {
  const { renderRequest } = validateBody(catalog, 'image', { ...fine, model: 'plain' });
  for (const absent of ['base_model', 'cfg', 'weight', 'clip_skip', 'sampler'])
    assert.ok(!(absent in renderRequest), absent);
  assert.deepEqual(renderRequest.options, {});
});

const cases: [string, CreateImageRequest, string[]][] = [
  ['an unknown model', { ...fine, model: 'nobody' }, ['model']],
  ['an empty model', { ...fine, model: '' }, ['model']],
  ['a model of another suite', { ...fine, model: 'motion' }, ['model']],
  ['a name of every object for a model', { ...fine, model: '__proto__' }, ['model']],
  ['a base model not on the list', { ...fine, base_model: 'hard' }, ['base_model']],
  ['a base model where there is none', { ...fine, model: 'plain', base_model: 'soft' }, ['base_model']],
  ['an empty project', { ...fine, project_id: '' }, ['project_id']],
  ['no prompt', {}, ['prompt']],
  ['an empty prompt', { prompt: '' }, ['prompt']],
  ['a prompt of blanks', { prompt: ' \n\t' }, ['prompt']],
  ['no prompt where none is required', { model: 'wordless' }, []],
  ['an unknown style', { ...fine, styles: ['ink', 'oil'] }, ['styles[1]']],
  ['a style for videos', { ...fine, styles: ['film'] }, ['styles[0]']],
  ['an unknown suggestion', { ...fine, suggestions: ['dusk'] }, ['suggestions[0]']],
  ['a suggestion of another suite', { ...fine, suggestions: ['rush'] }, ['suggestions[0]']],
  ['two suggestions of one category', { ...fine, suggestions: ['dawn', 'fog', 'noon'] }, ['suggestions[2]']],
  ['one suggestion twice', { ...fine, suggestions: ['loose', 'loose'] }, ['suggestions[1]']],
  ['an unknown option', { ...fine, options: { speed: 1 } }, ['options.speed']],
  ['an option that every object has', { ...fine, options: { toString: 'x' } }, ['options.toString']],
  ['an option of a model without', { ...fine, model: 'plain', options: { grain: true } }, ['options.grain']],
  ['a choice not on offer', { ...fine, options: { finish: 'rough' } }, ['options.finish']],
  ['a truth for a choice', { ...fine, options: { finish: true } }, ['options.finish']],
  ['the number of a choice', { ...fine, options: { finish: 3 } }, []],
  ['a toggle as truth', { ...fine, options: { grain: false } }, []],
  ['a toggle as number', { ...fine, options: { grain: 0 } }, []],
  ['a toggle as word', { ...fine, options: { grain: 'true' } }, []],
  ['a toggle as other number', { ...fine, options: { grain: 2 } }, ['options.grain']],
  ['a toggle as other word', { ...fine, options: { grain: 'yes' } }, ['options.grain']],
  ['a slider as text', { ...fine, options: { detail: '5' } }, ['options.detail']],
  ['a slider as truth', { ...fine, options: { detail: true } }, ['options.detail']],
  ['a slider below', { ...fine, options: { detail: 0 } }, ['options.detail']],
  ['a slider above', { ...fine, options: { detail: 11 } }, ['options.detail']],
  ['a slider between steps', { ...fine, options: { detail: 5.5 } }, ['options.detail']],
  ['the largest seed', { ...fine, options: { seed: 4_294_967_295 } }, []],
  ['a seed too large', { ...fine, options: { seed: 4_294_967_296 } }, ['options.seed']],
  ['a seed with a fraction', { ...fine, options: { seed: 4_294_967_294.5 } }, ['options.seed']],
  ['an aspect ratio not on offer', { ...fine, aspect_ratio: '4:3' }, ['aspect_ratio']],
  ['an empty aspect ratio', { ...fine, aspect_ratio: '' }, ['aspect_ratio']],
  ['cfg below', { ...fine, cfg: 0.5 }, ['cfg']],
  ['cfg above', { ...fine, cfg: 20.5 }, ['cfg']],
  ['cfg between steps', { ...fine, cfg: 7.25 }, ['cfg']],
  ['cfg where there is none', { ...fine, model: 'plain', cfg: 7 }, ['cfg']],
  ['weight on a step that binary fractions miss', { ...fine, weight: 0.7 }, []],
  ['weight at its end', { ...fine, weight: 2 }, []],
  ['weight between steps', { ...fine, weight: 0.75 }, ['weight']],
  ['weight where there is none', { ...fine, model: 'plain', weight: 1 }, ['weight']],
  ['clip_skip above', { ...fine, clip_skip: 5 }, ['clip_skip']],
  ['clip_skip where there is none', { ...fine, model: 'plain', clip_skip: 1 }, ['clip_skip']],
  ['an unknown sampler', { ...fine, sampler: 'sponge' }, ['sampler']],
  ['an empty sampler', { ...fine, sampler: '' }, ['sampler']],
  ['a sampler where there is none', { ...fine, model: 'plain', sampler: 'brush' }, ['sampler']],
  ['too many references', { ...fine, reference_images: ['a', 'b', 'c'] }, ['reference_images']],
  [
    'references where none are taken',
    { ...fine, model: 'plain', reference_images: ['a'] },
    ['reference_images'],
  ],
  ['an upload', { ...fine, reference_images: ['a', 'upl_1'] }, []],
  ['an https address', { ...fine, reference_images: ['https://example.com/a.png'] }, ['reference_images[0]']],
  ['an http address', { ...fine, reference_images: ['http://example.com/a.png'] }, ['reference_images[0]']],
  ['a data address', { ...fine, reference_images: ['data:image/png;base64,AA'] }, ['reference_images[0]']],
  [
    'a reference too long for an id',
    { ...fine, reference_images: ['a'.repeat(201)] },
    ['reference_images[0]'],
  ],
];

for (const [what, body, fields] of cases)
  test(`${what} is ${fields.length === 0 ? 'fine' : `refused at ${fields.join(', ')}`}`, () => {
    assert.deepEqual(refused(body), fields);
  });

test('all that is wrong is told at once', () => {
  const everything: CreateImageRequest = {
    model: 'character/rich',
    base_model: 'x',
    styles: ['x'],
    suggestions: ['x'],
    options: { x: 1, detail: 99 },
    aspect_ratio: 'x',
    cfg: 99,
    weight: 99,
    clip_skip: 99,
    sampler: 'x',
    reference_images: ['ftp:x', 'a', 'b'],
  };
  assert.deepEqual(
    refused(everything).sort(),
    [
      'aspect_ratio',
      'base_model',
      'cfg',
      'clip_skip',
      'options.detail',
      'options.x',
      'prompt',
      'reference_images',
      'reference_images[0]',
      'sampler',
      'styles[0]',
      'suggestions[0]',
      'weight',
    ].sort(),
  );
  assert.deepEqual(refused({ ...everything, model: 'nobody' }).sort(), [
    'model',
    'reference_images[0]',
    'styles[0]',
    'suggestions[0]',
  ]);
});

test('a request without a model where the catalog has no default is told to name one', () => {
  assert.deepEqual(refused(fine, { ...catalog, models: [exampleModel({ default_for: [] })] }), ['model']);
});

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'fine';
  } catch (error) {
    return (error as ApiProblem).code;
  }
}

test('a model outside the plan is tier_required, after its fields are right', () => {
  const body = { ...fine, model: 'pro-only' };
  assert.equal(
    codeOf(() => validateBody(catalog, 'image', body)),
    'tier_required',
  );
  assert.equal(
    codeOf(() => validateBody(catalog, 'image', { ...body, cfg: 1 })),
    'invalid_request',
  );
  assert.equal(
    codeOf(() => validateBody({ ...catalog, plan: 'pro' }, 'image', body)),
    'fine',
  );
  assert.equal(
    codeOf(() => validateBody({ ...catalog, plan: null }, 'image', body)),
    'tier_required',
  );
  assert.equal(
    codeOf(() => validateBody({ ...catalog, plan: null }, 'image', fine)),
    'fine',
  );
});

test('a model for adults needs a verified age', () => {
  const model = catalog.models.find(({ id }) => id === 'adult') as StudioModel;
  assert.equal(
    codeOf(() => requireAge(model, false)),
    'forbidden',
  );
  assert.equal(
    codeOf(() => requireAge(model, true)),
    'fine',
  );
  assert.equal(
    codeOf(() => requireAge(rich, false)),
    'fine',
  );
});
