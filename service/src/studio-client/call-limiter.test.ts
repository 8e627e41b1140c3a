import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallLimiter } from './call-limiter.ts';
import { StudioFailure } from './studio-failure.ts';

const soon = (ms = 0) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

test('each account has its own slots, and one that is given back twice counts once', async () => {
  const limiter = createCallLimiter(1);
  const slot = await limiter.enter('a', { waitMs: 10 });
  (await limiter.enter('b', { waitMs: 10 }))[Symbol.dispose]();
  const second = limiter.enter('a', { waitMs: 1_000 });
  const third = limiter.enter('a', { waitMs: 1_000 });
  slot[Symbol.dispose]();
  slot[Symbol.dispose]();
  const given = await Promise.race([second, third.then(() => 'the third')]);
  assert.ok(typeof given === 'object');
  await assert.rejects(limiter.enter('a', { waitMs: 5 }), StudioFailure);
  given[Symbol.dispose]();
  (await third)[Symbol.dispose]();
});

test('who waits too long, or gives up, is told that nothing was sent', async () => {
  const limiter = createCallLimiter(1);
  using _ = await limiter.enter('a', { waitMs: 10 });
  const unavailable = { name: 'StudioFailure', kind: 'unavailable', maybeSent: false };
  await assert.rejects(limiter.enter('a', { waitMs: 20 }), unavailable);
  await assert.rejects(limiter.enter('a', { waitMs: 5_000, signal: AbortSignal.timeout(20) }), unavailable);
  await assert.rejects(limiter.enter('a', { waitMs: 5_000, signal: AbortSignal.abort() }), unavailable);
});

test('an account that the studio limited starts nothing for that long, two seconds at most', async () => {
  const limiter = createCallLimiter(8);
  limiter.hold('a', 60);
  const began = performance.now();
  const slots = await Promise.all([1, 2, 3].map(() => limiter.enter('a', { waitMs: 1_000 })));
  // A timer may fire a moment early.
  assert.ok(performance.now() - began >= 50);
  (await limiter.enter('b', { waitMs: 1 }))[Symbol.dispose]();
  for (const slot of slots) slot[Symbol.dispose]();
  limiter.hold('a', 3_600_000);
  await soon(2_100);
  (await limiter.enter('a', { waitMs: 1 }))[Symbol.dispose]();
});
