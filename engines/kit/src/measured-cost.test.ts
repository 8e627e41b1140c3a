import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAt, measuredCost } from './measured-cost.ts';
import type { Cost, Route } from './route.ts';

const routeWith = (measured?: Cost['measured']): Route => ({
  name: 'paid',
  engine: 'openai-images',
  on: ['paid'],
  set: {},
  outputs: { kind: 'image', max_per_job: 1 },
  cost: { currency: 'USD', per_output: 0.1, ...(measured !== undefined && { measured }) },
});

test('what a provider counted is multiplied by the prices of the route', () => {
  const route = routeWith({ per_million_text_tokens: 5, per_million_output_tokens: 40 });
  const counts = {
    per_million_text_tokens: 100,
    per_million_image_tokens: 7_000,
    per_million_output_tokens: 4_160,
  };
  assert.deepEqual(measuredCost(route, counts), { cost: 0.1669 });
  assert.deepEqual(measuredCost(routeWith({ per_second: 0.000975 }), { per_second: 4.2 }), {
    cost: 0.004095,
  });
});

test('without a price, a count of all that has one, or a count that can be, what was reserved stands', () => {
  assert.deepEqual(measuredCost(routeWith(), { per_second: 4 }), {});
  const route = routeWith({ per_million_text_tokens: 5, per_million_output_tokens: 40 });
  assert.deepEqual(measuredCost(route, { per_million_output_tokens: 4_160 }), {});
  assert.deepEqual(measuredCost(routeWith({ per_second: 1 }), { per_second: 1e12 }), {});
});

test('a count is a number that is not negative, wherever it stands', () => {
  const answer = { usage: { output_tokens: 5, input_tokens: -1, details: { image_tokens: '3' } } };
  assert.equal(countAt(answer, 'usage', 'output_tokens'), 5);
  assert.equal(countAt(answer, 'usage', 'input_tokens'), undefined);
  assert.equal(countAt(answer, 'usage', 'details', 'image_tokens'), undefined);
  assert.equal(countAt(answer, 'other', 'deep', 'er'), undefined);
});
