import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleModel } from '@renderkit/contract/studio/examples/models.ts';
import { planCreates } from './plan-creates.ts';

const seedsFrom = (seed: unknown, range: { min: number; max: number; step: number }, batch = 1) => {
  const model = exampleModel({
    batch_size: { Conjure: batch },
    parameters: { options: [{ key: 'seed', name: 'Seed', type: 'slider', default: -1, ...range }] },
  });
  return planCreates('image', model, { options: { seed } }, 4).seeds;
};
const whole = { min: -1, max: 2 ** 32 - 1, step: 1 };

test('a seed that was chosen counts up by the outputs of each create', () => {
  assert.deepEqual(seedsFrom(7, whole), [7, 8, 9, 10]);
  assert.deepEqual(seedsFrom(7, whole, 2), [7, 9]);
  assert.deepEqual(seedsFrom(7, whole, 4), [7]);
  assert.deepEqual(seedsFrom(20, { min: 0, max: 100, step: 10 }), [20, 30, 40, 50]);
});

test('a seed at the end of its range goes on from the first that is none of chance', () => {
  assert.deepEqual(seedsFrom(2 ** 32 - 2, whole), [2 ** 32 - 2, 2 ** 32 - 1, 0, 1]);
  assert.deepEqual(seedsFrom(9, { min: 5, max: 9, step: 1 }), [9, 5, 6, 7]);
});

test('a seed of chance, and what is no seed of the model, stay as they are', () => {
  for (const seed of [-1, 7.5, 2 ** 32, '7', undefined]) assert.equal(seedsFrom(seed, whole), undefined);
  assert.equal(planCreates('image', exampleModel(), { options: { seed: 7 } }, 2).seeds, undefined);
});
