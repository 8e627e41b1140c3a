import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './until.ts';

/** Returns a function that returns these values in order, and then the last one again and again. */
function looking<T>(...seen: [T, ...T[]]): () => T {
  return () => (seen.length > 1 ? seen.shift() : seen[0]) as T;
}

test('it returns what it sees once that is there and as it should be', async () => {
  assert.equal(await until('a number', looking<unknown>(undefined, null, false, 0), { everyMs: 1 }), 0);
  const count = looking(1, undefined, 2, 3);
  assert.equal(await until('three', async () => count(), { isSo: (seen) => seen === 3, everyMs: 1 }), 3);
});

test('what does not come in time is named, with what was seen last', async () => {
  const short = { withinMs: 30, everyMs: 1 };
  await assert.rejects(until('the end', looking({ status: 'running' }), { ...short, isSo: () => false }), {
    message: "not within 0.03 s: the end; the last look saw { status: 'running' }",
  });
  await assert.rejects(
    until('it', () => undefined, short),
    /the last look saw undefined$/,
  );
});

test('a look that throws ends the wait at once, or is made again where it may fail', async () => {
  const error = new Error('refused');
  let tries = 0;
  const look = () => {
    if (++tries % 3 !== 0) throw error;
    return tries;
  };
  await assert.rejects(until('an answer', look), error);
  assert.equal(tries, 1);
  assert.equal(await until('an answer', look, { everyMs: 1, retryErrors: true }), 3);
  await assert.rejects(
    until('an answer', () => Promise.reject(error), { withinMs: 30, everyMs: 1, retryErrors: true }),
    { message: 'not within 0.03 s: an answer; the last look failed: refused', cause: error },
  );
});
