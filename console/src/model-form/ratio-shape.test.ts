import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestRatio, ratioOf, shapeOf } from './ratio-shape.ts';

test('A ratio is drawn as large as its square allows', () => {
  assert.deepEqual(shapeOf({ width: 1280, height: 720 }, 32), { width: 32, height: 18 });
  assert.deepEqual(shapeOf({ width: 720, height: 1280 }, 32), { width: 18, height: 32 });
  assert.deepEqual(shapeOf(ratioOf('1:1'), 32), { width: 32, height: 32 });
  assert.deepEqual(shapeOf(ratioOf('1000:1'), 32), { width: 32, height: 2 });
});

test('What is no ratio is shown as a square', () => {
  for (const text of ['', 'wide', '0:1', '1:0', '1:', '-1:2'])
    assert.deepEqual(ratioOf(text), { width: 1, height: 1 });
  assert.deepEqual(ratioOf('2.39:1'), { width: 2.39, height: 1 });
  assert.deepEqual(shapeOf({ width: 0, height: 5 }, 20), { width: 20, height: 20 });
});

test('The nearest ratio is the one that cuts least off', () => {
  const ratios = ['16:9', '1:1', '9:16'].map((ratio) => ({ ratio, ...ratioOf(ratio) }));
  assert.equal(nearestRatio(ratios, { width: 256, height: 256 }), '1:1');
  assert.equal(nearestRatio(ratios, { width: 1216, height: 808 }), '16:9');
  assert.equal(nearestRatio(ratios, { width: 808, height: 1216 }), '9:16');
  assert.equal(nearestRatio(ratios, { width: 864, height: 1000 }), '1:1');
  assert.equal(nearestRatio([], { width: 1, height: 1 }), undefined);
});
