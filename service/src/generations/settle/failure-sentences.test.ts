import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureStages } from '@renderkit/contract/studio/progress.ts';
import { progressStages } from '@renderkit/contract/v1/progress.ts';
import { renderError } from './failure-sentences.ts';

const cases: readonly (readonly [code: string, stage: string | undefined, message: RegExp])[] = [
  [
    'render_failed',
    'rendering',
    /^The engine could not finish the generation \(stage: rendering\)\. Its credits/,
  ],
  ['out_of_memory', 'loading_model', /than the engines have \(stage: loading_model\)\. Its credits/],
  ['invalid_request', 'submitting', /^The value of cfg does not suit this model \(stage: submitting\)\. Its/],
  ['moderation_blocked', 'submitting', /^Moderation refused .* \(stage: submitting\)\.$/],
  ['render_failed', undefined, /^The engine could not finish the generation\. Its credits/],
  ['render_failed', 'of another studio', /^The engine could not finish the generation\. Its credits/],
];
for (const [code, stage, message] of cases)
  test(`what failed says at which stage: ${code}, ${stage}`, () => {
    const error = { code, message: 'The value of cfg does not suit this model.', ...(stage && { stage }) };
    const told = renderError(error);
    assert.equal(told.code, code);
    assert.match(told.message, message);
  });

test('the stages of failures are those that progress tells', () => {
  assert.deepEqual(
    failureStages.filter((stage) => !Object.hasOwn(progressStages, stage)),
    [],
  );
});
