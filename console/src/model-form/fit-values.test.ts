import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Example } from '@renderkit/contract/studio/examples/example.ts';
import { imageEditExamples } from '@renderkit/contract/studio/examples/image-edit.ts';
import { imageExamples } from '@renderkit/contract/studio/examples/image.ts';
import {
  exampleModels,
  exampleStyles,
  exampleSuggestions,
} from '@renderkit/contract/studio/examples/models.ts';
import { videoExtendExamples } from '@renderkit/contract/studio/examples/video-extend.ts';
import { videoExamples } from '@renderkit/contract/studio/examples/video.ts';
import { validateChoices } from '@renderkit/contract/studio/validate-choices.ts';
import { type AskedRequest, validateRequest } from '@renderkit/contract/studio/validate.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { kindNames, kinds } from '../generations/kinds.ts';
import { buildRequest } from './build-request.ts';
import { fitNumber, fitValues } from './fit-values.ts';
import { emptyForm } from './form-values.ts';
import { readRequest } from './read-request.ts';

const examples: Readonly<Record<GenerationKind, readonly Example[]>> = {
  image: imageExamples,
  image_edit: imageEditExamples,
  video: videoExamples,
  video_extend: videoExtendExamples,
};
const choices = {
  styles: exampleStyles.map((style) => ({ ...style, object: 'style' as const })),
  suggestions: exampleSuggestions.map((one) => ({ ...one, object: 'suggestion' as const })),
};
const index = {
  styles: new Map(exampleStyles.map((style) => [style.id, style])),
  suggestions: new Map(exampleSuggestions.map((suggestion) => [suggestion.id, suggestion])),
};

/** The model as the API has it: of the samplers it names the default alone. */
function publicModel(name: Example['model']): Model {
  const { price: _, ...model } = exampleModels[name];
  const sampler = model.parameters.sampler?.split(',')[0]?.trim() ?? null;
  return { ...model, object: 'model', parameters: { ...model.parameters, sampler } };
}

/** The body that the form sends once this request was read into it. */
function sentBy(kind: GenerationKind, name: Example['model'], asked: AskedRequest): AskedRequest {
  const read = readRequest({ path: kinds[kind].path, body: JSON.stringify(asked) });
  assert.ok(read);
  return buildRequest(kind, publicModel(name), read.values, choices);
}

for (const kind of kindNames)
  describe(`the form of the kind ${kind}`, () => {
    for (const { about, model, asked, issues } of examples[kind])
      test(`sends nothing that its model does not take, given ${about}`, () => {
        const sent = sentBy(kind, model, asked);
        const found = [
          ...validateChoices(kind, index, sent),
          ...validateRequest(kind, exampleModels[model], sent).issues,
        ];
        // What is missing is asked for, and a sampler that the API does not name is for the service to refuse.
        const left = found.filter(({ code }) => code !== 'required' && code !== 'required_by_inpaint');
        assert.deepEqual(
          left,
          issues.filter(({ code }) => code === 'not_offered' && sent.sampler !== undefined),
        );
        if (issues.length > 0) return;
        const right = validateRequest(kind, exampleModels[model], asked).request;
        assert.deepEqual(validateRequest(kind, exampleModels[model], sent).request, right);
      });
  });

test('A number is moved to the nearest that the range has, and a toggle in other words is a truth', () => {
  const { values } = readRequest({
    path: kinds.image.path,
    body: JSON.stringify({ cfg: 99, weight: 0.74, options: { detail: 0, grain: 'true', finish: 'rough' } }),
  }) ?? { values: emptyForm };
  const fitted = fitValues('image', publicModel('character/rich'), values, choices);
  assert.deepEqual([fitted.cfg, fitted.weight], [20, 0.7]);
  assert.deepEqual(fitted.options, { detail: 1, grain: true });
  assert.equal(fitNumber(Number.NaN, { min: 0, max: 1, step: 0.1, default: 0 }), undefined);
});

test('An edit by a model that cannot inpaint loses what belongs to an inpaint, and no more', () => {
  const asked = { image: 'lib_1', mode: 'inpaint', mask: 'upl_1', mask_blur: 2, strength: 0.3 } as const;
  assert.deepEqual(sentBy('image_edit', 'blunt', asked), { model: 'blunt', image: 'lib_1', strength: 0.3 });
});

test('Styles and suggestions are kept while the lists of them load', () => {
  const values = { ...emptyForm, styles: ['nobody'], suggestions: ['nobody'] };
  const loading = { styles: undefined, suggestions: undefined };
  const fitted = fitValues('image', publicModel('plain'), values, loading);
  assert.deepEqual([fitted.styles, fitted.suggestions], [['nobody'], ['nobody']]);
  const loaded = fitValues('image', publicModel('plain'), values, choices);
  assert.deepEqual([loaded.styles, loaded.suggestions], [[], []]);
});
