import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from './differences.ts';

test('what differs is told by its path, and what came or went field by field', () => {
  const before = { slots: 1, labels: ['gpu'], price: { base: 1, options: { quality: { high: 2 } } } };
  const after = { slots: 2, labels: ['gpu'], price: { base: 1, options: {} }, url: 'http://a' };
  assert.deepEqual(differencesOf(before, after), [
    { path: 'slots', before: 1, after: 2 },
    { path: 'price/options/quality/high', before: 2, after: null },
    { path: 'url', before: null, after: 'http://a' },
  ]);
  assert.deepEqual(differencesOf(null, { version: 3 }), [{ path: 'version', before: null, after: 3 }]);
  assert.deepEqual(differencesOf({ a: [1] }, { a: [1, 2] }), [{ path: 'a', before: [1], after: [1, 2] }]);
  assert.deepEqual(differencesOf({ a: 'x' }, { a: { b: 1 } }), [{ path: 'a', before: 'x', after: { b: 1 } }]);
  assert.deepEqual(differencesOf(null, undefined), []);
  assert.deepEqual(differencesOf({ a: null }, {}), []);
});
