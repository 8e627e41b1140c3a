import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyedMutex } from './keyed-mutex.ts';

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
