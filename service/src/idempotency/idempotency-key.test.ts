import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdempotencyKeys } from './idempotency-key.ts';

const request = { accountId: 'acc_1', idempotencyKey: 'k' };

test('of many with one key one works, and the others find what it made', async () => {
  const keys = new IdempotencyKeys();
  let made: string | undefined;
  let works = 0;
  const results = await Promise.all(
    Array.from({ length: 50 }, () =>
      keys.share(
        request,
        async () => made,
        async () => {
          works++;
          await sleep(20);
          return (made = 'first');
        },
      ),
    ),
  );
  assert.equal(works, 1);
  assert.deepEqual(new Set(results), new Set(['first']));
});

test('after an error the next one works itself', async () => {
  const keys = new IdempotencyKeys();
  let works = 0;
  const share = () =>
    keys.share(
      request,
      async () => undefined,
      async () => {
        await sleep(5);
        if (++works === 1) throw new Error('no');
        return works;
      },
    );
  const results = await Promise.allSettled([share(), share()]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
});

test('equal keys of two accounts have nothing to do with each other', async () => {
  const keys = new IdempotencyKeys(1);
  const share = (accountId: string) =>
    keys.share(
      { ...request, accountId },
      async () => undefined,
      async () => sleep(30, accountId),
    );
  assert.deepEqual(await Promise.all([share('a'), share('b')]), ['a', 'b']);
});

test('who waited too long is told to come again in a second', async () => {
  const keys = new IdempotencyKeys(20);
  const first = keys.share(
    request,
    async () => undefined,
    async () => sleep(100, 'first'),
  );
  await assert.rejects(
    keys.share(
      request,
      async () => undefined,
      async () => 'second',
    ),
    { code: 'upstream_unavailable', retryAfterSeconds: 1 },
  );
  assert.equal(await first, 'first');
});
