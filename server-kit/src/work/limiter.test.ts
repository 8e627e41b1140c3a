import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLimiter, LimiterFull, LimiterTimeout } from './limiter.ts';

test('so many hold a slot, the others follow in their order, and each slot is given back once', async () => {
  const limiter = createLimiter({ slots: 2 });
  const entered: number[] = [];
  const enter = async (name: number) => {
    const slot = await limiter.enter();
    entered.push(name);
    return slot;
  };
  const [first, second, third, fourth] = [1, 2, 3, 4].map(enter);
  await turn();
  assert.deepEqual(entered, [1, 2]);
  const slot = await first;
  slot?.[Symbol.dispose]();
  slot?.[Symbol.dispose]();
  await turn();
  assert.deepEqual(entered, [1, 2, 3]);
  (await second)?.[Symbol.dispose]();
  (await third)?.[Symbol.dispose]();
  (await fourth)?.[Symbol.dispose]();
  assert.deepEqual(entered, [1, 2, 3, 4]);
});

test('beyond those that may wait nobody does', async () => {
  const limiter = createLimiter({ slots: 1, waitingAtMost: 1 });
  using _ = await limiter.enter();
  const waiting = limiter.enter();
  await assert.rejects(limiter.enter(), LimiterFull);
  _[Symbol.dispose]();
  (await waiting)[Symbol.dispose]();
});

test('who waits too long, or gives up, leaves the queue to those behind', async () => {
  const limiter = createLimiter({ slots: 1 });
  const slot = await limiter.enter({ waitMs: 0, signal: AbortSignal.abort() });
  assert.equal(limiter.tryEnter(), undefined);
  const reason = new Error('no longer wanted');
  const givingUp = new AbortController();
  const late = assert.rejects(limiter.enter({ waitMs: 10 }), LimiterTimeout);
  const given = assert.rejects(limiter.enter({ signal: givingUp.signal }), reason);
  const next = limiter.enter({ waitMs: 60_000, signal: new AbortController().signal });
  await assert.rejects(limiter.enter({ signal: AbortSignal.abort(reason) }), reason);
  givingUp.abort(reason);
  await Promise.all([late, given]);
  slot[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  limiter.tryEnter()?.[Symbol.dispose]();
  assert.ok(limiter.isIdle());
});

test('nobody gets a slot while it pauses, and all in their order afterwards', async () => {
  const limiter = createLimiter({ slots: 2 });
  const began = performance.now();
  limiter.pause(500);
  limiter.pause(5);
  const entered: number[] = [];
  const enterings = [1, 2, 3].map(async (name) => {
    using _ = await limiter.enter();
    entered.push(name);
  });
  await assert.rejects(limiter.enter({ waitMs: 10 }), LimiterTimeout);
  assert.deepEqual({ entered, paused: limiter.isPaused() }, { entered: [], paused: true });
  await Promise.all(enterings);
  assert.ok(performance.now() - began >= 500);
  assert.deepEqual(entered, [1, 2, 3]);
  assert.ok(limiter.isIdle());
});
