import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idempotencyKeyFor } from './idempotency-key.ts';

const run = { path: '/v1/images/generations', body: { prompt: 'a lake' } };

test('A request has a key of its own, and keeps it while its outcome is unknown', () => {
  const key = idempotencyKeyFor(run, undefined);
  assert.match(key, /^console-[0-9a-f]{32}$/);
  assert.notEqual(idempotencyKeyFor(run, undefined), key);
  assert.equal(idempotencyKeyFor({ ...run, body: { prompt: 'a lake' } }, { ...run, key }), key);
  assert.notEqual(idempotencyKeyFor({ ...run, body: { prompt: 'a sea' } }, { ...run, key }), key);
  assert.notEqual(idempotencyKeyFor({ ...run, path: '/v1/images/edits' }, { ...run, key }), key);
});
