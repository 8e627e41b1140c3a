import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import Renderkit, { RenderkitError } from 'renderkit';
import { createClient } from './harness/client.ts';
import { noNginx, startHoldingProxy, startNginx } from './harness/proxies.ts';

// Tests streams that are disturbed: by proxies, and by the death of their service.

let platform: Platform;
let key: string;
before(async () => {
  platform = await startPlatform({ services: 2 });
  key = await platform.createKey(await platform.createAccount({ tier: 'pro' }));
});
after(() => platform[Symbol.asyncDispose]());

const client = () => createClient(platform.serviceUrls[0] ?? '', key);
const clientAt = (baseUrl: string) => new Renderkit({ baseUrl, apiKey: key });
const running = { prompt: 'waits', model: 'sandbox-slow', options: { seconds: 300 } };

test('behind nginx as it comes, what happens is told while it happens', { skip: noNginx }, async () => {
  await using nginx = await startNginx(platform.serviceUrls[0] ?? '');
  const behind = clientAt(nginx.url);
  const { id } = await behind.images.create(running);
  const seen: string[] = [];
  for await (const event of behind.generations.stream(id)) {
    seen.push(event.type);
    // The stream ends when the generation does, and the stop is sent only after this event was read. So nothing was
    // held back until the end.
    if (event.type === 'progress' && event.progress.stage === 'waiting_for_engine')
      await client().call('POST', `/v1/generations/${id}/stop`);
  }
  assert.deepEqual([seen[0], seen.at(-1)], ['generation', 'done']);
});

describe('behind a proxy that holds answers back', { concurrency: true }, () => {
  test('a client asks again and again how far it is instead', async () => {
    await using proxy = await startHoldingProxy(platform.serviceUrls[0] ?? '');
    const behind = clientAt(proxy.url);
    const { id } = await behind.images.create(running);
    const types: string[] = [];
    for await (const event of behind.generations.stream(id)) {
      types.push(event.type);
      if (event.type === 'progress') await client().call('POST', `/v1/generations/${id}/stop`);
    }
    assert.deepEqual([types[0], types.at(-1)], ['generation', 'done']);
    assert.equal(proxy.asked.filter((url) => url.includes('/events')).length, 1);
  });

  test('and for the events of the account, of which none is lost from its first second on', async () => {
    await using proxy = await startHoldingProxy(platform.serviceUrls[0] ?? '');
    const account = await platform.createAccount();
    const apiKey = await platform.createKey(account);
    const direct = new Renderkit({ baseUrl: platform.serviceUrls[0] ?? '', apiKey });
    const create = async () => (await direct.images.create(running)).id;
    const made = [await create()];
    const stopping = new AbortController();
    const seen: string[] = [];
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      const behind = new Renderkit({ baseUrl: proxy.url, apiKey });
      const types = ['generation.created'] as const;
      const { signal } = stopping;
      for await (const { data } of behind.events.stream({ types, signal, onOpen: opened.resolve })) {
        seen.push(data.id);
        if (seen.length === 3) stopping.abort();
      }
    })();
    while (!proxy.asked.some((url) => url.includes('limit=1'))) await sleep(50);
    await sleep(500);
    // First while the stream is held back, then while the client polls.
    for (let n = 0; n < 2; n++) made.push(await create());
    await opened.promise;
    made.push(await create());
    await assert.rejects(following, (error) => RenderkitError.is(error) && error.code === 'aborted');
    assert.deepEqual(seen, made.slice(1));
  });
});

test('a stream goes on when its service was killed', async () => {
  const watched = clientAt(platform.serviceUrls[1] ?? '');
  const { id } = await watched.images.create(running);
  const types: string[] = [];
  for await (const event of watched.generations.stream(id, { previews: 'none' })) {
    types.push(event.type);
    if (types.length === 1) {
      await platform.services[1]?.kill();
      await platform.services[1]?.start();
    } else if (event.type === 'generation') await client().call('POST', `/v1/generations/${id}/stop`);
  }
  assert.deepEqual(
    [types.filter((type) => type === 'generation').length >= 2, types.filter((type) => type === 'done')],
    [true, ['done']],
  );
});
