import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayTicks, valueTicks } from './chart-axes.ts';

test('An upright axis has whole steps, also where hardly anything was spent', () => {
  assert.deepEqual(valueTicks(1, 4), [0, 1]);
  assert.deepEqual(valueTicks(3.6, 4), [0, 1, 2, 3]);
  assert.deepEqual(valueTicks(430, 4), [0, 200, 400]);
  assert.deepEqual(valueTicks(1_000, 4), [0, 500, 1_000]);
});

test('As many days are named as there is room for, and the newest is one of them', () => {
  assert.deepEqual(dayTicks(7, 8), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(dayTicks(30, 5), [1, 8, 15, 22, 29]);
  assert.deepEqual(dayTicks(90, 4), [29, 59, 89]);
  assert.deepEqual(dayTicks(90, 1), [89]);
});
