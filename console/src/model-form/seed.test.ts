import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedOf, withOneSeed, withSeeds } from './seed.ts';

const model = (options: object[]) => ({ parameters: { options } }) as never;
const seeded = model([
  { key: 'seed', name: 'Seed', type: 'slider', min: -1, max: 4_294_967_295, default: -1 },
]);

test('A seed that is left to chance is drawn by the console, so that it is known', () => {
  let drawn = 6;
  const bodies = withSeeds(seeded, [{ prompt: 'a' }, { prompt: 'a', options: { seed: -1 } }], () => ++drawn);
  assert.deepEqual(bodies.map(seedOf), [7, 8]);
});

test('A seed that is set stays, and the following runs of a batch take the following ones', () => {
  const body = { options: { seed: 41, detail: 2 } };
  const bodies = withSeeds(seeded, [body, body, body], () => assert.fail('nothing is drawn'));
  assert.deepEqual(bodies.map(seedOf), [41, 42, 43]);
  assert.deepEqual(bodies[2], { options: { seed: 43, detail: 2 } });
});

test('A grid over seeds keeps each as it is', () => {
  const bodies = [1, 5, 9].map((seed) => ({ options: { seed } }));
  assert.deepEqual(withSeeds(seeded, bodies).map(seedOf), [1, 5, 9]);
});

test('A grid over other settings has one seed, drawn or set', () => {
  let drawn = 10;
  assert.deepEqual(withOneSeed(seeded, [{ cfg: 1 }, { cfg: 2 }], () => ++drawn).map(seedOf), [11, 11]);
  const set = [1, 2].map((cfg) => ({ cfg, options: { seed: 3 } }));
  assert.deepEqual(withOneSeed(seeded, set).map(seedOf), [3, 3]);
});

test('A model without a seed gets none', () => {
  assert.deepEqual(withSeeds(model([]), [{ prompt: 'a' }]), [{ prompt: 'a' }]);
});
