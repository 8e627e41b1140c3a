import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRange } from './range.ts';

test('a single range is served, what cannot be is said so, all else means the whole', () => {
  const cases: [string | undefined, ReturnType<typeof parseRange>][] = [
    [undefined, 'whole'],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=90-1000', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-3', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['bytes=-', 'whole'],
    ['lines=0-9', 'whole'],
  ];
  for (const [header, expected] of cases) assert.deepEqual(parseRange(header, 100), expected, header);
});
