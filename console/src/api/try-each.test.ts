import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RenderkitError } from 'renderkit/errors';
import { tryEach } from './try-each.ts';

test('each thing has its turn, a few at a time, and one that fails holds up no other', async () => {
  let running = 0;
  let most = 0;
  const { done, failed } = await tryEach([1, 2, 3, 4, 5, 6, 7], async (n) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (n === 3) throw new RenderkitError('conflict', 'It runs already.', { status: 409 });
  });
  assert.equal(most, 4);
  assert.deepEqual(new Set(done), new Set([1, 2, 4, 5, 6, 7]));
  assert.deepEqual(
    failed.map(({ item, error }) => [item, error.message]),
    [[3, 'It runs already.']],
  );
});

test('what passes is tried again, and what does not is not', async () => {
  let tries = 0;
  const { done } = await tryEach(['a'], async () => {
    if (++tries < 3) throw new RenderkitError('rate_limited', 'Wait.', { status: 429, retryAfter: 0 });
  });
  assert.deepEqual([done, tries], [['a'], 3]);
  tries = 0;
  const { failed } = await tryEach(['a'], async () => {
    tries++;
    throw new RenderkitError('not_found', 'Gone.', { status: 404 });
  });
  assert.deepEqual([failed.length, tries], [1, 1]);
});
