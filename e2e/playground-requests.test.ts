// Checks what the console's playground sends against the schemas, the studio's catalog and the service's validation.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { kindNames, kinds, type RequestBody } from '@renderkit/console/src/generations/kind-labels.ts';
import { bareReference } from '@renderkit/console/src/media/reference.ts';
import { buildRequest, estimateOf, missingOf } from '@renderkit/console/src/model-form/build-request.ts';
import {
  fitNumber,
  fitValues,
  optionDefault,
  sliderRange,
} from '@renderkit/console/src/model-form/fit-values.ts';
import { fieldsOf } from '@renderkit/console/src/model-form/form-fields.ts';
import {
  emptyForm,
  type FormValues,
  type OptionValue,
} from '@renderkit/console/src/model-form/form-values.ts';
import { readRequest } from '@renderkit/console/src/model-form/read-request.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import { EstimateRequest } from '@renderkit/contract/v1/schemas/estimate.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { presentModel, presentStyle, presentSuggestion } from '@renderkit/service/catalog/present.ts';
import { validateBody } from '@renderkit/service/catalog/validate-body.ts';
import { compileCheck } from '@renderkit/service/validation/compile-check.ts';
import { builtInCatalog } from '@renderkit/studio/catalog/built-in.ts';
import { catalogFor } from '@renderkit/studio/catalog/snapshot.ts';

const account = { id: 'acc_01m7zchq78sejyj12b6ysefgwq', tier: 'pro', styles_version: 0 };
const catalog = catalogFor(await builtInCatalog(), account, []);
const models = catalog.models.map(presentModel);
const choices = {
  styles: catalog.styles.map(presentStyle),
  suggestions: catalog.suggestions.map(presentSuggestion),
};
const checks = new Map(
  kindNames.map((kind) => {
    const operation = operations[kinds[kind].operation];
    assert.ok('body' in operation.request);
    return [kind, compileCheck(operation.request.body, 'field')];
  }),
);
const checkEstimate = compileCheck(EstimateRequest, 'field');

test('Kinds are told as the contract tells them', () => {
  for (const kind of kindNames) {
    const { operation, path } = kinds[kind];
    assert.equal(operations[operation].path, path);
  }
});

for (const kind of kindNames)
  describe(`the form of kind ${kind}`, () => {
    const own = models.filter(({ suites }) => suites.includes(kinds[kind].suite));
    for (const model of own) {
      test(`sends the least that ${model.id} takes`, () => {
        const least = leastOf(kind, model);
        assert.deepEqual(missingOf(kind, model, least), []);
        accepted(kind, model, buildRequest(kind, model, least, choices));
      });

      test(`sends everything that ${model.id} takes, at both ends of each range, and reads it again`, () => {
        for (const end of ['low', 'high'] as const) {
          const values = everything(kind, model, end);
          const body = buildRequest(kind, model, values, choices);
          accepted(kind, model, body);
          const again = readRequest({ path: kinds[kind].path, body: JSON.stringify(body) });
          assert.equal(again?.kind, kind);
          assert.equal(again?.model, kind === 'video_extend' ? undefined : model.id);
          assert.deepEqual(buildRequest(kind, model, again?.values ?? emptyForm, choices), body);
        }
      });

      test(`sends nothing that ${model.id} does not take, whatever was set for another model`, () => {
        for (const other of models.flatMap((one) =>
          kindNames
            .filter((name) => one.suites.includes(kinds[name].suite))
            .map((name) => [name, one] as const),
        )) {
          const values = { ...everything(...other, 'high'), ...requiredOf(kind, model) };
          accepted(kind, model, buildRequest(kind, model, values, choices));
        }
      });
    }
  });

test('Every kind says what it still lacks', () => {
  const lacks = (kind: GenerationKind, id: string, values: Partial<FormValues> = {}) =>
    missingOf(kind, modelOf(id), { ...emptyForm, ...values }).map(({ field }) => field);
  assert.deepEqual(lacks('image', 'atelier-1'), ['prompt']);
  assert.deepEqual(lacks('image', 'prism-1'), []);
  assert.deepEqual(lacks('image_edit', 'retouch-1', { mode: 'inpaint' }), ['image', 'mask', 'prompt']);
  assert.deepEqual(lacks('image_edit', 'engrave-1', { mode: 'inpaint' }), ['image']);
  assert.deepEqual(lacks('video', 'animate-1'), ['start_image']);
  assert.deepEqual(lacks('video_extend', 'onward-1'), ['video']);
});

test('The estimate stays the same while somebody types or paints', () => {
  const model = modelOf('retouch-1');
  const estimate = (prompt: string, mask: string) => {
    const values = { ...leastOf('image_edit', model), prompt, mask, mode: 'inpaint' as const };
    return estimateOf('image_edit', model, buildRequest('image_edit', model, values, choices));
  };
  assert.deepEqual(
    estimate('', 'data:image/png;base64,AAAA'),
    estimate('a lake', `data:image/png;base64,${'A'.repeat(400)}`),
  );
});

test('A number that a range does not hold becomes the nearest that it does', () => {
  const range = { min: 0.3, max: 2, step: 0.1, default: 1 };
  assert.equal(fitNumber(1.04, range), 1);
  assert.equal(fitNumber(99, range), 2);
  assert.equal(fitNumber(-1, range), 0.3);
  assert.equal(fitNumber(Number.NaN, range), undefined);
  assert.equal(fitNumber(undefined, range), undefined);
  assert.equal(fitNumber(1, undefined), undefined);
  assert.equal(fitNumber(10, { min: 0, max: 10, step: 3, default: 0 }), 9);
});

test('One suggestion of a category is kept, and three styles', () => {
  const { suggestions, styles } = fitValues(
    'image',
    modelOf('atelier-1'),
    {
      ...emptyForm,
      suggestions: ['sug_light_dawn', 'sug_light_noon', 'sug_motion_rush', 'sug_place_sea', 'sug_nobody'],
      styles: ['sty_noir', 'sty_slow_pan', 'sty_neon', 'sty_arctic', 'sty_desert'],
    },
    choices,
  );
  assert.deepEqual(suggestions, ['sug_light_dawn', 'sug_place_sea']);
  assert.deepEqual(styles, ['sty_noir', 'sty_neon', 'sty_arctic']);
});

test('What is no request is not read', () => {
  const path = kinds.image.path;
  assert.equal(readRequest({ path: '/v1/elsewhere', body: '{}' }), undefined);
  for (const body of ['', 'null', '[]', '{', '"text"']) assert.equal(readRequest({ path, body }), undefined);
  const odd = readRequest({
    path,
    body: '{"prompt":5,"styles":"x","options":{"a":{},"b":1},"cfg":"7","reference_images":[1,"upl_1"],"mode":{}}',
  });
  assert.deepEqual(odd?.values, {
    ...emptyForm,
    options: { b: 1 },
    reference_images: [bareReference('upl_1', 'image')],
  });
});

/** Asserts that schema, estimate and catalog accept the body. */
function accepted(kind: GenerationKind, model: Model, body: RequestBody): void {
  const errors: { field: string; message: string }[] = [];
  // In the form in which it is sent.
  const sent = JSON.parse(JSON.stringify(body)) as RequestBody;
  checks.get(kind)?.(sent, errors);
  checkEstimate(estimateOf(kind, model, sent), errors);
  assert.deepEqual(errors, []);
  assert.equal(validateBody(catalog, kind, sent).model.id, model.id);
  const { kind: _, ...estimated } = estimateOf(kind, model, sent);
  assert.equal(
    validateBody(catalog, kind, estimated).costMillicredits,
    validateBody(catalog, kind, sent).costMillicredits,
  );
}

function modelOf(id: string): Model {
  const model = models.find((one) => one.id === id);
  assert.ok(model);
  return model;
}

function requiredOf(kind: GenerationKind, model: Model): Partial<FormValues> {
  const fields = fieldsOf(kind, model);
  return {
    prompt: 'a lake',
    mode: 'transform',
    ...(fields.image === 'required' && { image: bareReference('ast_1', 'image') }),
    ...(fields.startImage === 'required' && { start_image: bareReference('ast_2', 'image') }),
    ...(fields.video === 'required' && { video: bareReference('ast_3', 'video') }),
  };
}

function leastOf(kind: GenerationKind, model: Model): FormValues {
  return { ...emptyForm, ...requiredOf(kind, model), prompt: model.prompt_required ? 'a lake' : '' };
}

/** Sets every field of the form to a value other than its default, if there is one. */
function everything(kind: GenerationKind, model: Model, end: 'low' | 'high'): FormValues {
  const fields = fieldsOf(kind, model);
  const pick = <T>(list: readonly T[]) => (end === 'low' ? list[0] : list.at(-1));
  const range = (one: { min: number; max: number; step: number; default: number } | undefined) =>
    fitNumber(end === 'low' ? one?.min : one?.max, one);
  const choice = pick(fields.resolution?.values ?? [])?.value;
  const picture = bareReference('ast_1', 'image');
  return {
    prompt: end === 'low' ? 'a' : '🌊'.repeat(fields.prompt.maxCharacters),
    project_id: 'prj_1',
    base_model: pick(pick(fields.baseModels)?.options ?? []),
    styles: choices.styles
      .filter(({ type }) => type === fields.styleType)
      .map(({ id }) => id)
      .slice(0, 3),
    suggestions: choices.suggestions.map(({ id }) => id),
    options: Object.fromEntries(
      fields.options.map((option): [string, OptionValue] => {
        if (option.type === 'select') return [option.key, pick(option.values ?? [])?.value ?? ''];
        if (option.type === 'toggle') return [option.key, optionDefault(option) !== true];
        return [option.key, range(sliderRange(option)) ?? 0];
      }),
    ),
    aspect_ratio: pick(fields.ratios)?.ratio,
    cfg: range(fields.ranges.cfg),
    weight: range(fields.ranges.weight),
    clip_skip: range(fields.ranges.clip_skip),
    sampler: fields.sampler,
    reference_images: Array.from({ length: fields.referenceImages }, (_, i) =>
      bareReference(`ast_${i}`, 'image'),
    ),
    image: picture,
    mode: end === 'low' ? 'transform' : 'inpaint',
    strength: end === 'low' ? 0.1 : 1,
    mask: 'data:image/png;base64,iVBORw0KGgo=',
    strokes: [],
    inpaint_type: 'fill',
    mask_blur: range(fields.ranges.mask_blur),
    duration: pick(fields.durations)?.value,
    start_image: picture,
    end_image: picture,
    reference_audios: Array.from({ length: fields.audios?.max ?? 0 }, (_, i) =>
      bareReference(`upl_${i}`, 'audio'),
    ),
    source_video: bareReference('ast_4', 'video'),
    video: bareReference('ast_3', 'video'),
    resolution: choice === undefined ? undefined : String(choice),
  };
}
