import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spareTurn } from './spare-turn.ts';

/** A rest may be shorter by what is not worth a timer. */
const timerMs = 1;

test('after a slice the event loop is left to others for twice as long', async () => {
  const before = performance.now();
  await spareTurn(20);
  assert.ok(performance.now() - before >= 40 - timerMs);
});

test('all that work in slices rest together: two of them take no more of the loop than one', async () => {
  const before = performance.now();
  await Promise.all([spareTurn(15), spareTurn(15)]);
  assert.ok(performance.now() - before >= 60 - timerMs);
});

test('others have their turn after the shortest slice as well', async () => {
  let turns = 0;
  const other = setImmediate(() => turns++);
  await spareTurn(0);
  clearImmediate(other);
  assert.equal(turns, 1);
});
