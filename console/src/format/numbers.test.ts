import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, countOf, creditsText } from './numbers.ts';

test('credits are shown to the thousandth that they have', () => {
  assert.equal(creditsText(1204.5), '1,204.5');
  assert.equal(creditsText(0.001), '0.001');
  assert.equal(creditsText(12), '12');
});

test('bytes are shown in the unit that fits', () => {
  assert.equal(bytesText(0), '0 B');
  assert.equal(bytesText(999), '999 B');
  assert.equal(bytesText(4_404_000), '4.2 MB');
  assert.equal(bytesText(50 * 1024 * 1024), '50 MB');
  assert.equal(bytesText(250 * 1024 ** 3), '250 GB');
});

test('a count agrees with its noun', () => {
  assert.equal(countOf(1, 'key'), '1 key');
  assert.equal(countOf(0, 'key'), '0 keys');
  assert.equal(countOf(2, 'delivery', 'deliveries'), '2 deliveries');
});
