import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneAtATime } from './one-at-a-time.ts';

test('works run one after another in order, and one that fails fails alone', async () => {
  const inTurn = oneAtATime();
  const done: string[] = [];
  const work = (name: string, ms: number) =>
    inTurn(async () => {
      done.push(`${name} begins`);
      await sleep(ms);
      done.push(`${name} ends`);
      if (name === 'b') throw new Error('b fails');
      return name;
    });
  const outcomes = await Promise.allSettled([work('a', 20), work('b', 5), work('c', 1)]);
  assert.deepEqual(
    outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
    ['a', 'failed', 'c'],
  );
  assert.deepEqual(
    done,
    ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
});
