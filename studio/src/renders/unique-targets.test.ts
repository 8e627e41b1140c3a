import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BoundValue } from '@renderkit/engine-kit/driver.ts';
import { drawnSeed } from './seed.ts';
import { uniqueTargets } from './unique-targets.ts';

const id = '7d0c1f7e-3c58-4a2f-9f0a-1f6f6a1d9b11';
const claim = { id, render_id: 'rnd_1', seed: drawnSeed('rnd_1') };
const seed = claim.seed + 1;
const plain = (target: string, value: number | string): BoundValue => ({ target, kind: 'plain', value });

test('a job is known by its submission’s id and by a seed that was drawn, as a number or in a text', () => {
  const values = [
    plain('/prompt', 'a lake'),
    plain('/tag', `rk/${id}/r`),
    plain('/seed', seed),
    plain('/text', `a lake --seed ${seed}`),
  ];
  assert.deepEqual(uniqueTargets(values, claim, seed), ['/tag', '/seed', '/text']);
});

test('a job is not known by a seed that was asked for, nor by one that a binding bent or left out', () => {
  assert.deepEqual(uniqueTargets([plain('/seed', 42)], { ...claim, seed: 42 }, 42), []);
  assert.deepEqual(uniqueTargets([plain('/seed', 999)], claim, seed), []);
  assert.deepEqual(uniqueTargets([plain('/prompt', `${seed}0`)], claim, seed), []);
  assert.deepEqual(uniqueTargets([plain('/prompt', 'a lake')], claim, null), []);
});
