import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, triangulate } from './mesh.ts';
import { createRandom } from './random.ts';

test('Triangles cover the points they were made from without overlapping', () => {
  const random = createRandom('mesh');
  const corners = [
    { x: 0, y: 0 },
    { x: 100, y: 0 },
    { x: 0, y: 100 },
    { x: 100, y: 100 },
  ];
  const points = [
    ...corners,
    ...Array.from({ length: 200 }, () => ({ x: random.range(1, 99), y: random.range(1, 99) })),
  ];
  const mesh = triangulate(points, 100, 100);
  const area = mesh.triangles.reduce((sum, { a, b, c }) => {
    const [p, q, r] = [points[a], points[b], points[c]];
    assert.ok(p && q && r);
    return sum + Math.abs((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)) / 2;
  }, 0);
  assert.ok(Math.abs(area - 10_000) < 50, `area ${area}`);
  assert.equal(cellsOf(mesh).length, points.length);
});
