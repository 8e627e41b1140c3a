import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodiesOfRounds } from './bodies-of-rounds.ts';

const clientOf = (options: object[]) =>
  ({ models: { retrieve: async () => ({ parameters: { options } }) } }) as never;
const price = { model: 'some', outputs: 2 };
const seeds = async (seed: unknown, options: object[]) => {
  const bodies = await bodiesOfRounds(clientOf(options), { prompt: 'a', options: { seed } }, price, 3);
  return bodies.map((body) => (body['options'] as { seed: unknown }).seed);
};
const slider = (min: number, max: number) => [{ key: 'seed', type: 'slider', min, max }];

test('a seed counts up by the outputs of a round, and begins again after the largest', async () => {
  assert.deepEqual(await seeds(7, slider(-1, 2 ** 32 - 1)), [7, 9, 11]);
  assert.deepEqual(await seeds(2 ** 32 - 2, slider(-1, 2 ** 32 - 1)), [2 ** 32 - 2, 0, 2]);
  assert.deepEqual(await seeds(9, slider(4, 10)), [9, 4, 6]);
});

test('of a range that is larger than what is drawn no two seeds are drawn alike', async () => {
  assert.deepEqual(await seeds(2 ** 32 - 1, slider(0, 2 ** 53)), [2 ** 32 - 1, 1, 3]);
});

test('a seed that is left to chance, or none, stays as it is', async () => {
  assert.deepEqual(await seeds(-1, slider(-1, 10)), [-1, -1, -1]);
  const body = { prompt: 'a' };
  assert.deepEqual(await bodiesOfRounds(clientOf([]), body, price, 2), [body, body]);
});
