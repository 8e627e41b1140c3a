import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realAnswers } from '@renderkit/contract/v1/real-answers.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { abilitiesOf, matchesSearch, plansOf } from './model-labels.ts';

const model = realAnswers.model as unknown as Model;

test('A model is found by all the words of a search, in its name, id or description', () => {
  for (const search of ['', 'ATELIER', 'atelier-1', 'painted seas', '  landscapes ', 'program atelier'])
    assert.equal(matchesSearch(model, search), true, search);
  for (const search of ['atelier video', 'nobody']) assert.equal(matchesSearch(model, search), false, search);
  assert.equal(matchesSearch({ id: 'x', name: 'X', description: null }, 'null'), false);
});

test('What a model can do depends on what it is used for', () => {
  assert.deepEqual(abilitiesOf(model, 'image'), ['2 references']);
  const able: Model = {
    ...model,
    inpaint: true,
    nsfw: true,
    kind: 'custom',
    prompt_required: false,
    parameters: {
      ...model.parameters,
      max_reference_images: 1,
      frames: { start: true, start_required: false, end: false, end_required: false },
    },
  };
  assert.deepEqual(abilitiesOf(able, 'image_edit'), [
    'Inpaint',
    '1 reference',
    'Prompt optional',
    'Custom',
    'Adults only',
  ]);
  assert.equal(abilitiesOf(able, 'video').includes('First frame'), true);
});

test('Plans are named as a sentence needs them', () => {
  assert.equal(plansOf({ tiers: ['pro'] }), 'Pro');
  assert.equal(plansOf({ tiers: ['plus', 'pro'] }), 'Plus or Pro');
  assert.equal(plansOf({ tiers: ['free', 'plus', 'pro'] }), 'Free, Plus or Pro');
  assert.equal(plansOf({ tiers: [] }), 'every plan');
});
