import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import type { Example } from './examples/example.ts';
import { imageEditExamples } from './examples/image-edit.ts';
import { imageExamples } from './examples/image.ts';
import { exampleModels, exampleStyles, exampleSuggestions } from './examples/models.ts';
import { exampleMedia, referenceExamples } from './examples/references.ts';
import { videoExtendExamples } from './examples/video-extend.ts';
import { videoExamples } from './examples/video.ts';
import { issueCodes, sentenceOf } from './issues.ts';
import type { Kind } from './kinds.ts';
import { optionsOf } from './offers.ts';
import { StudioModel } from './schemas/catalog.ts';
import { RenderRequest } from './schemas/render.ts';
import { validateChoices } from './validate-choices.ts';
import { validateReferenceForms, validateReferences } from './validate-references.ts';
import { validateRequest } from './validate.ts';

const choices = {
  styles: new Map(exampleStyles.map((style) => [style.id, style])),
  suggestions: new Map(exampleSuggestions.map((suggestion) => [suggestion.id, suggestion])),
};
const requestCheck = Compile(RenderRequest);
const modelCheck = Compile(StudioModel);

const examples: Readonly<Record<Kind, readonly Example[]>> = {
  image: imageExamples,
  image_edit: imageEditExamples,
  video: videoExamples,
  video_extend: videoExtendExamples,
};

for (const kind of Object.keys(examples) as Kind[])
  describe(`a request of the kind ${kind}`, () => {
    for (const { about, model, asked, issues, request: expected } of examples[kind])
      test(`with ${about}${issues.length > 0 ? `: ${issues.map(({ code }) => code).join(', ')}` : ''}`, () => {
        const { issues: ofModel, request } = validateRequest(kind, exampleModels[model], asked);
        const found = [
          ...validateChoices(kind, choices, asked),
          ...validateReferenceForms({ ...asked }),
          ...ofModel,
        ];
        assert.deepEqual(found, issues);
        for (const [name, value] of Object.entries(expected ?? {}))
          assert.deepEqual((request as Record<string, unknown>)[name], value, name);
        if (issues.length > 0) return;
        assert.ok(requestCheck.Check(request), 'the studio takes what a right request becomes');
        // The service sends the complete request to the studio, which checks it with the same rules.
        const length = 'duration_seconds' in request ? request.duration_seconds : undefined;
        const again = validateRequest(kind, exampleModels[model], { ...request, duration: length });
        assert.deepEqual(again, { issues: [], request });
        assert.deepEqual(Object.keys(optionsOf(request)), Object.keys(request.options));
      });
  });

describe('references', () => {
  const { audio } = exampleModels.reel.parameters;
  const limits = { max_duration: 30, min_width: 128, min_height: 96, max_filesize_mb: 10 };
  for (const { about, kind, asked, coming, finds } of referenceExamples)
    test(`of ${about}`, () => {
      const model = { image: 'plain', image_edit: 'brush', video: 'reel', video_extend: 'onward' } as const;
      const { request } = validateRequest(kind, exampleModels[model[kind]], asked);
      assert.deepEqual(
        validateReferences(
          request,
          { audio, source_video: limits },
          new Map(Object.entries(exampleMedia)),
          new Set(coming),
        ),
        { unknown: [], issues: [], rejected: undefined, waits: false, ...finds },
      );
    });
});

test('the models of the examples are such as a studio may offer', () => {
  for (const model of Object.values(exampleModels)) assert.ok(modelCheck.Check(model), model.id);
});

test('the examples leave no code of an issue out, but for those that need more than a request and its model', () => {
  const all = [
    ...Object.values(examples).flatMap((list) => list.flatMap(({ issues }) => issues)),
    ...referenceExamples.flatMap(({ finds }) => finds.issues ?? []),
  ];
  for (const issue of all) assert.match(sentenceOf(issue), /^\S.*[^.]$/);
  const shown = new Set(all.map(({ code }) => code));
  const left = ['unknown_model', 'model_unnamed', 'model_of_other_suite'];
  assert.deepEqual(
    issueCodes.filter((code) => !shown.has(code)),
    left,
  );
});
