import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLimiter, LimiterFull } from './limiter.ts';

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
