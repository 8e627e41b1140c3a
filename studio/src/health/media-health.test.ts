import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMediaLook } from './media-health.ts';

test('during a look at a slow storage it is what it was, and then what the look saw', async () => {
  let clock = 0;
  let looks = 0;
  let answer = Promise.resolve();
  const storage = { check: () => (looks++, answer) };
  const hasMedia = createMediaLook(storage, () => clock);
  assert.equal(await hasMedia(), true);

  const slow = Promise.withResolvers<void>();
  answer = slow.promise;
  clock += 9_000;
  assert.deepEqual([await hasMedia(), looks], [true, 1]);
  clock += 2_000;
  // Callers do not wait for the whole check, and callers at the same time share it.
  assert.deepEqual([await hasMedia(), await hasMedia(), looks], [true, true, 2]);
  slow.reject(new Error('it is away'));
  assert.deepEqual([await hasMedia(), looks], [false, 2]);

  answer = Promise.resolve();
  clock += 11_000;
  assert.deepEqual([await hasMedia(), looks], [true, 3]);
});

test('an outcome that is minutes old is not told', async () => {
  let clock = 0;
  let answer = Promise.resolve();
  const hasMedia = createMediaLook({ check: () => answer }, () => clock);
  assert.equal(await hasMedia(), true);
  clock += 121_000;
  const never = Promise.withResolvers<void>();
  answer = never.promise;
  assert.equal(await hasMedia(), false);
  never.resolve();
});
