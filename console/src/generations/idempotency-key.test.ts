import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newIdempotencyKey } from './idempotency-key.ts';

test('No two keys are the same', () => {
  const key = newIdempotencyKey();
  assert.match(key, /^console-[0-9a-f]{32}$/);
  assert.notEqual(newIdempotencyKey(), key);
});
