// A request that is repeated because its answer was lost is charged once. Two equal requests at the same time are
// charged twice.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endSessionsOf } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';

describe('a repeated request', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform({ services: 2 });
  });
  after(() => platform[Symbol.asyncDispose]());

  /** Opens an account with functions to call the facade. `slow` runs for this many seconds in the engine. */
  async function open(limits: { rateLimit?: number } = {}) {
    const account = await platform.createAccount({ tier: 'pro', credits: 100 });
    const key = await platform.createKey(account, limits);
    const ask = (
      slowSeconds: number,
      { service = 0, retry, signal }: { service?: number; retry?: number; signal?: AbortSignal } = {},
    ) =>
      fetch(`${platform.serviceUrls[service]}/openai/v1/images/generations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(retry === undefined ? {} : { 'x-stainless-retry-count': String(retry) }),
        },
        body: JSON.stringify({
          prompt: 'a lighthouse',
          model: 'sandbox-slow',
          options: { seconds: slowSeconds },
          response_format: 'url',
        }),
        ...(signal === undefined ? {} : { signal }),
      });
    const generations = async () => {
      const answer = await fetch(`${platform.serviceUrls[0]}/v1/generations`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    return { ask, generations, email: account.email };
  }

  const generationOf = (answer: Response) => answer.headers.get('x-renderkit-generation');

  /** Sends a request, and disconnects once the generation exists. */
  async function askAndGo(
    { ask, generations }: Awaited<ReturnType<typeof open>>,
    slowSeconds: number,
    service = 0,
  ) {
    const gone = new AbortController();
    const lost = ask(slowSeconds, { service, signal: gone.signal }).catch(() => undefined);
    while ((await generations()).length === 0) await sleep(20);
    gone.abort();
    await lost;
    // Without a header for repetitions, the next request counts as a different one until the service has noticed the
    // disconnect.
    const held = 'select id from facade_calls where holder is not null';
    while ((await platform.databases.service.rows(held)).length > 0) await sleep(20);
  }

  test('finds its first generation, though it comes to another service', async () => {
    const client = await open();
    await askAndGo(client, 2);
    const answer = await client.ask(2, { service: 1, retry: 1 });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-renderkit-adopted'), 'true');
    assert.deepEqual(await client.generations(), [generationOf(answer)]);
    await answer.text();
  });

  test('is found without saying that it is one, once', async () => {
    const client = await open();
    await askAndGo(client, 1);
    const second = await client.ask(1);
    assert.equal(second.headers.get('x-renderkit-adopted'), 'true');
    const third = await client.ask(1);
    assert.equal(third.headers.get('x-renderkit-adopted'), null);
    assert.deepEqual(
      new Set(await client.generations()),
      new Set([generationOf(second), generationOf(third)]),
    );
  });

  test('finds its generation after a service was stopped in an orderly way', async () => {
    const client = await open();
    const first = client.ask(3, { service: 1 });
    while ((await client.generations()).length === 0) await sleep(20);
    await platform.services[1]?.kill('SIGTERM');
    const told = await first;
    assert.deepEqual([told.status, told.headers.get('retry-after')], [503, '1']);
    await platform.services[1]?.start();
    const answer = await client.ask(3, { service: 1, retry: 1 });
    assert.equal(answer.headers.get('x-renderkit-adopted'), 'true');
    assert.deepEqual(await client.generations(), [generationOf(answer)]);
  });

  test('finds its generation after both services were stopped one after the other', async () => {
    const client = await open();
    const first = client.ask(6, { service: 1 });
    while ((await client.generations()).length === 0) await sleep(20);
    await platform.services[1]?.kill('SIGTERM');
    assert.equal((await first).status, 503);
    const second = client.ask(6);
    const adopted = 'select id from facade_calls where adoptions = 1 and holder is not null';
    while ((await platform.databases.service.rows(adopted)).length === 0) await sleep(20);
    await platform.services[1]?.start();
    await platform.services[0]?.kill('SIGTERM');
    assert.equal((await second).status, 503);
    await platform.services[0]?.start();
    const answer = await client.ask(6, { service: 1 });
    assert.equal(answer.headers.get('x-renderkit-adopted'), 'true');
    assert.deepEqual(await client.generations(), [generationOf(answer)]);
  });

  test('of one that was refused is its own, though an equal one was just answered', async () => {
    const client = await open();
    const first = await client.ask(1, { retry: 0 });
    assert.equal(first.status, 200);
    await first.text();
    await platform.operator('studio', 'fault', '--email', client.email, '--next', 'concurrency');
    assert.equal((await client.ask(1, { retry: 0 })).status, 429);
    const repeated = await client.ask(1, { retry: 1, service: 1 });
    assert.deepEqual([repeated.status, repeated.headers.get('x-renderkit-adopted')], [200, null]);
    await repeated.text();
    assert.notEqual(generationOf(repeated), generationOf(first));
    // A client that lost an answer can still get it, the latest one first.
    for (const answered of [repeated, first]) {
      const again = await client.ask(1, { retry: 1 });
      assert.deepEqual(
        [generationOf(again), again.headers.get('x-renderkit-adopted')],
        [generationOf(answered), 'true'],
      );
    }
    assert.equal((await client.generations()).length, 2);
  });

  test('of one that was refused for the rate of its key is its own', async () => {
    // The whole test must be within one minute of the clock.
    const [minute] = await platform.databases.service.rows<{ left: number }>(
      'select (60 - extract(second from clock()))::real as left',
    );
    const left = minute?.left ?? 0;
    if (left < 20) await sleep(left * 1_000 + 100);
    const client = await open({ rateLimit: 2 });
    const first = await client.ask(1, { retry: 0 });
    assert.equal(first.status, 200);
    await first.text();
    assert.equal((await client.generations()).length, 1);
    assert.equal((await client.ask(1, { retry: 0 })).status, 429);
    // Simulates that a minute passes.
    const id = generationOf(first);
    await platform.databases.service.rows(
      `update rate_windows set minute = minute - interval '1 minute'
        where key_id = (select key_id from generations where id = $1)`,
      [id],
    );
    const repeated = await client.ask(1, { retry: 1 });
    assert.equal(repeated.status, 200);
    await repeated.text();
    assert.notEqual(generationOf(repeated), id);
    assert.equal((await client.generations()).length, 2);
  });

  test('side by side with its equal is a request of its own', async () => {
    const client = await open();
    const answers = await Promise.all([client.ask(1), client.ask(1, { service: 1 })]);
    assert.equal(new Set(answers.map(generationOf)).size, 2);
    assert.equal((await client.generations()).length, 2);
  });

  test('is none beside one whose service lost its session at the database', async () => {
    const client = await open();
    const first = client.ask(3);
    while ((await client.generations()).length === 0) await sleep(20);
    await endSessionsOf(platform.databases.service, 'presence');
    const answers = await Promise.all([first, client.ask(3, { service: 1 })]);
    assert.equal(new Set(answers.map(generationOf)).size, 2);
  });

  for (const retry of [1, undefined])
    test(`finds its generation after its service was killed, ${retry === 1 ? 'and says so' : 'without saying that it repeats'}`, async () => {
      const client = await open();
      const lost = client.ask(3, { service: 1 }).catch(() => undefined);
      while ((await client.generations()).length === 0) await sleep(20);
      await platform.services[1]?.kill();
      await lost;
      await untilHolderIsGone();
      // Nobody has released the lease, so the repeated request waits until it expires.
      const answer = await client.ask(3, retry === undefined ? {} : { retry });
      assert.equal(answer.headers.get('x-renderkit-adopted'), 'true');
      assert.deepEqual(await client.generations(), [generationOf(answer)]);
      await platform.services[1]?.start();
    });

  /** Waits until the lease is still valid but the lock of its process is gone. */
  async function untilHolderIsGone() {
    const gone = `select from facade_calls f where f.held_until > clock() and not exists (select from pg_locks l
      where l.locktype = 'advisory' and (l.classid::bigint << 32 | l.objid::bigint) = f.presence)`;
    await until(
      'the end of the holder',
      async () => (await platform.databases.service.rows(gone)).length > 0,
    );
  }
});
