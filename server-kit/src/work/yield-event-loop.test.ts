import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yieldEventLoop } from './yield-event-loop.ts';

/** A rest may be shorter by a time that is not worth a timer. */
const timerMs = 1;

test('after a slice the event loop is left to others for twice as long', async () => {
  const before = performance.now();
  await yieldEventLoop(20);
  assert.ok(performance.now() - before >= 40 - timerMs);
});

test('all that work in slices rest together: two of them take no more of the loop than one', async () => {
  const before = performance.now();
  await Promise.all([yieldEventLoop(15), yieldEventLoop(15)]);
  assert.ok(performance.now() - before >= 60 - timerMs);
});

test('others have their turn after the shortest slice as well', async () => {
  let turns = 0;
  const other = setImmediate(() => turns++);
  await yieldEventLoop(0);
  clearImmediate(other);
  assert.equal(turns, 1);
});
