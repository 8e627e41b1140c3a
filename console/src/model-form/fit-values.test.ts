import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleModels } from '@renderkit/contract/studio/examples/models.ts';
import { buildRequest } from './build-request.ts';
import { fitValues } from './fit-values.ts';
import { emptyForm } from './form-values.ts';

const model = { ...exampleModels.worded, object: 'model' } as const;
const choices = { styles: undefined, suggestions: undefined };
const fitted = (without: string) =>
  fitValues('image', model, { ...emptyForm, options: { without } }, choices).options;

test('a text of another model is cut to what this one takes, by characters', () => {
  assert.deepEqual(fitted('fog'), { without: 'fog' });
  assert.deepEqual(fitted('clouds'), { without: 'cloud' });
  assert.deepEqual(fitted('🌊🌊🌊🌊🌊🌊'), { without: '🌊🌊🌊🌊🌊' });
});

test('an emptied text is sent empty, and one that was never touched is left out', () => {
  const values = { ...emptyForm, prompt: 'a boat' };
  const emptied = buildRequest('image', model, { ...values, options: { without: '' } }, choices);
  assert.deepEqual(emptied['options'], { without: '' });
  assert.equal('options' in buildRequest('image', model, values, choices), false);
});
