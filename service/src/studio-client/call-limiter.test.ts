import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallLimiter } from './call-limiter.ts';
import { StudioFailure } from './studio-failure.ts';

const soon = (ms = 0) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

test('slots are given in order, so many at once, and each account has its own', async () => {
  const limiter = createCallLimiter(2);
  const order: number[] = [];
  const leaves: (() => void)[] = [];
  const enter = async (i: number) => {
    const leave = await limiter.enter('a', { waitMs: 1_000 });
    order.push(i);
    leaves.push(leave);
  };
  for (let i = 0; i < 5; i++) void enter(i);
  await soon();
  assert.deepEqual(order, [0, 1]);
  (await limiter.enter('b', { waitMs: 10 }))();
  leaves[1]?.();
  leaves[1]?.();
  await soon();
  assert.deepEqual(order, [0, 1, 2], 'a slot released twice counts once');
  leaves[0]?.();
  leaves[2]?.();
  await soon();
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
});

test('who waits too long, or gives up, leaves the queue', async () => {
  const limiter = createCallLimiter(1);
  const leave = await limiter.enter('a', { waitMs: 10 });
  await assert.rejects(limiter.enter('a', { waitMs: 20 }), StudioFailure);
  await assert.rejects(limiter.enter('a', { waitMs: 5_000, signal: AbortSignal.timeout(20) }), StudioFailure);
  await assert.rejects(limiter.enter('a', { waitMs: 5_000, signal: AbortSignal.abort() }), StudioFailure);
  const next = limiter.enter('a', { waitMs: 1_000 });
  leave();
  (await next)();
});

test('an account that the studio limited starts nothing for that long, two seconds at most', async () => {
  const limiter = createCallLimiter(8);
  limiter.hold('a', 60);
  const began = performance.now();
  const leaves = await Promise.all([1, 2, 3].map(() => limiter.enter('a', { waitMs: 1_000 })));
  // A timer may end a moment before its time.
  assert.ok(performance.now() - began >= 50);
  (await limiter.enter('b', { waitMs: 1 }))();
  for (const leave of leaves) leave();
  limiter.hold('a', 3_600_000);
  await soon(2_100);
  (await limiter.enter('a', { waitMs: 1 }))();
});
