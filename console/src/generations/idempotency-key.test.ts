import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKey } from './idempotency-key.ts';

const run = { path: '/v1/images/generations', body: { prompt: 'a lake' } };

test('A run has a key of its own, and keeps it while its outcome is unknown', () => {
  const key = runKey(run, undefined);
  assert.match(key, /^console-[0-9a-f]{32}$/);
  assert.notEqual(runKey(run, undefined), key);
  assert.equal(runKey({ ...run, body: { prompt: 'a lake' } }, { ...run, key }), key);
  assert.notEqual(runKey({ ...run, body: { prompt: 'a sea' } }, { ...run, key }), key);
  assert.notEqual(runKey({ ...run, path: '/v1/images/edits' }, { ...run, key }), key);
});
