import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyedMutex, createMutex } from './mutex.ts';

test('works of one key run one after another in their order, of two keys side by side', async () => {
  const mutex = createKeyedMutex();
  const seen: string[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const first = mutex('a', async () => {
    seen.push('a1 begins');
    await gate;
    seen.push('a1 ends');
    throw new Error('it fails');
  });
  const second = mutex('a', () => Promise.resolve(seen.push('a2')));
  await mutex('b', () => Promise.resolve(seen.push('b1')));
  release();
  await assert.rejects(first, /it fails/);
  await second;
  await mutex('a', () => Promise.resolve(seen.push('a3')));
  assert.deepEqual(seen, ['a1 begins', 'b1', 'a1 ends', 'a2', 'a3']);
});

test('works run one after another in order, and one that fails fails alone', async () => {
  const mutex = createMutex();
  const done: string[] = [];
  const work = (name: string, ms: number) =>
    mutex(async () => {
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
