import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, formatMilliseconds } from './durations.ts';

test('a duration is shown in two units at most', () => {
  const expected: [number, string][] = [
    [-5, '0 s'],
    [840, '0.8 s'],
    [9_960, '10 s'],
    [42_400, '42 s'],
    [60_000, '1 min'],
    [185_000, '3 min 5 s'],
    [7_200_000, '2 h'],
    [7_800_000, '2 h 10 min'],
  ];
  for (const [milliseconds, text] of expected) assert.equal(formatDuration(milliseconds), text);
});

test('the duration of an attempt has the unit that fits', () => {
  assert.equal(formatMilliseconds(45), '45 ms');
  assert.equal(formatMilliseconds(10_000), '10.0 s');
});
