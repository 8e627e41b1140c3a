import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeOfRatio } from './engine-request.ts';

test('A size of a ratio is even and has about as many pixels as asked', () => {
  const cases = [
    [{ width: 4000, height: 3000 }, 640 * 360],
    [{ width: 301, height: 997 }, 480 * 480],
    [{ width: 100, height: 100 }, 230_400],
  ] as const;
  for (const [shape, pixels] of cases) {
    const { width, height } = sizeOfRatio(shape, pixels);
    assert.deepEqual([width % 2, height % 2], [0, 0]);
    assert.ok(Math.abs((width * height) / pixels - 1) < 0.02);
    assert.ok(Math.abs(width / height / (shape.width / shape.height) - 1) < 0.01);
  }
});

test('no side becomes too short for a video', () => {
  assert.deepEqual(sizeOfRatio({ width: 5000, height: 50 }, 640 * 360).height, 64);
});
