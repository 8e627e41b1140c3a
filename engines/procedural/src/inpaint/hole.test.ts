import assert from 'node:assert/strict';
import { test } from 'node:test';
import { depthOf } from './depth.ts';
import { findHole, fitBox } from './hole.ts';

const size = { width: 200, height: 100 };

const maskOf = (white: (x: number, y: number) => boolean) => ({
  ...size,
  bytes: Buffer.from(
    Array.from({ length: size.width * size.height }, (_, index) =>
      white(index % size.width, Math.floor(index / size.width)) ? 255 : 0,
    ),
  ),
});

test('A hole knows its bounds, and a black mask has none', () => {
  assert.equal(findHole(maskOf(() => false)), null);
  const hole = findHole(maskOf((x, y) => x >= 20 && x < 60 && y >= 30 && y < 80));
  assert.deepEqual(hole?.bounds, { left: 20, top: 30, width: 40, height: 50 });
  assert.equal(hole.share, 0.1);
});

test('A box in a disc lies within it, at its foot or in its middle', () => {
  const disc = findHole(maskOf((x, y) => Math.hypot(x - 100, y - 50) < 40));
  assert.ok(disc);
  const middle = fitBox(disc, 1, true);
  assert.ok(Math.abs(middle.left + middle.width / 2 - 100) < 4);
  assert.ok(Math.abs(middle.top + middle.height / 2 - 50) < 4);
  // The largest square in a circle has the side radius × √2.
  assert.ok(Math.abs(middle.width - 40 * Math.SQRT2) < 6, `${middle.width}`);
  const foot = fitBox(disc, 0.3, false);
  assert.ok(foot.top + foot.height > 80 && foot.height > 60, JSON.stringify(foot));
});

test('The edge of the picture is no rim of a hole', () => {
  const left = findHole(maskOf((x) => x < 100));
  assert.ok(left);
  const depth = depthOf(left);
  const at = (x: number) => depth.data[Math.floor(depth.height / 2) * depth.width + x] ?? 0;
  assert.ok(at(0) > 95 && at(0) < 105, `${at(0)}`);
  assert.ok(at(depth.width - 1) < 1);
});
