import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNoise } from './noise.ts';
import { createRandom } from './random.ts';

test('The same text gives the same numbers, another text others', () => {
  const take = (source: string) => {
    const random = createRandom(source);
    return Array.from({ length: 5 }, () => random.next());
  };
  assert.deepEqual(take('one'), take('one'));
  assert.notDeepEqual(take('one'), take('other'));
});

test('A fork does not depend on how far its parent has come', () => {
  const fresh = createRandom('one').fork('sky');
  const used = createRandom('one');
  used.next();
  assert.equal(fresh.next(), used.fork('sky').next());
});

test('Noise stays in its bounds and has no steps', () => {
  const noise = createNoise(createRandom('noise'));
  let previous = noise.fbm(0, 0.3, 5);
  for (let step = 1; step < 2000; step++) {
    const value = noise.fbm(step / 500, 0.3, 5);
    assert.ok(Math.abs(value) < 1.2 && Math.abs(value - previous) < 0.12);
    previous = value;
  }
});
