import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Axis, gridOf, readNumbers } from './grid.ts';

const ratio: Axis = { path: 'aspect_ratio', label: 'Aspect ratio', values: [] };
const detail: Axis = {
  path: 'options.detail',
  label: 'Detail',
  values: [],
  range: { min: 0, max: 10, step: 2, default: 4 },
};

test('A grid has a run for each pair of values, row by row, and keeps all else', () => {
  const cells = gridOf({ prompt: 'a', options: { seed: 7 } }, [
    { axis: ratio, values: ['1:1', '16:9'] },
    { axis: detail, values: [2, 8] },
  ]);
  assert.deepEqual(
    cells.map(({ label }) => label),
    [
      'Aspect ratio 1:1 · Detail 2',
      'Aspect ratio 1:1 · Detail 8',
      'Aspect ratio 16:9 · Detail 2',
      'Aspect ratio 16:9 · Detail 8',
    ],
  );
  assert.deepEqual(cells[3]?.body, { prompt: 'a', aspect_ratio: '16:9', options: { seed: 7, detail: 8 } });
});

test('Numbers of a text are moved to where the steps of the range lead, each once', () => {
  assert.deepEqual(readNumbers('1, 2;3 11 x', detail.range ?? assert.fail()), [2, 4, 10]);
});
