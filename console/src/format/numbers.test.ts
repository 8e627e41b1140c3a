import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, formatCount, formatCredits } from './numbers.ts';

test('credits are shown to the thousandth that they have', () => {
  assert.equal(formatCredits(1204.5), '1,204.5');
  assert.equal(formatCredits(0.001), '0.001');
  assert.equal(formatCredits(12), '12');
});

test('bytes are shown in the unit that fits', () => {
  assert.equal(formatBytes(0), '0 B');
  assert.equal(formatBytes(999), '999 B');
  assert.equal(formatBytes(4_404_000), '4.2 MB');
  assert.equal(formatBytes(50 * 1024 * 1024), '50 MB');
  assert.equal(formatBytes(250 * 1024 ** 3), '250 GB');
});

test('a count agrees with its noun', () => {
  assert.equal(formatCount(1, 'key'), '1 key');
  assert.equal(formatCount(0, 'key'), '0 keys');
  assert.equal(formatCount(2, 'delivery', 'deliveries'), '2 deliveries');
});
