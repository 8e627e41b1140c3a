import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conformanceCases } from './conformance.ts';
import Renderkit, { RenderkitError } from './renderkit.ts';
import { mockRenderkit } from './testing.ts';
import { handler } from './webhooks.ts';

for (const { name, run } of conformanceCases) {
  test(`the mock: ${name}`, () => {
    const mock = mockRenderkit();
    return run({
      client: new Renderkit(mock.options),
      succeeding: () => ({}),
      failing: () => {
        mock.next({ fail: 'render_failed' });
        return {};
      },
      picture: () => new Blob([new Uint8Array(8)], { type: 'image/png' }),
    });
  });
}

test('on a manual clock nothing happens until it is moved on', async () => {
  const mock = mockRenderkit({ clock: 'manual' });
  const client = new Renderkit(mock.options);
  const { id } = await client.images.create({ prompt: 'a lighthouse' });
  assert.equal((await client.generations.retrieve(id)).status, 'queued');
  mock.advance(300);
  assert.equal((await client.generations.retrieve(id)).status, 'running');
  assert.equal((await client.generations.progress(id)).stage, 'rendering');
  mock.advance(2_000);
  assert.equal((await client.generations.retrieve(id)).status, 'succeeded');
});

test('a plan decides about the next create alone', async () => {
  const mock = mockRenderkit();
  const client = new Renderkit(mock.options);
  mock.next({ fail: 'moderation_blocked' });
  await assert.rejects(client.images.run({ prompt: 'a lighthouse' }), (error) => {
    assert.ok(RenderkitError.is(error) && error.code === 'generation_failed');
    assert.equal(error.generation.error?.code, 'moderation_blocked');
    return true;
  });
  mock.next({ status: 'canceled' });
  await assert.rejects(client.images.run({ prompt: 'a lighthouse' }), { code: 'generation_canceled' });
  assert.equal((await client.images.run({ prompt: 'a lighthouse' })).status, 'succeeded');
});

test('what a slow generation takes is patience, not time', async () => {
  const mock = mockRenderkit({ clock: 'manual' });
  const client = new Renderkit(mock.options);
  mock.next({ slow: 3_600_000 });
  const waiting = client.images.run({ prompt: 'a lighthouse' }, { timeout: 20 });
  await assert.rejects(waiting, (error) => {
    assert.ok(RenderkitError.is(error) && error.code === 'still_running');
    assert.match(error.generationId, /^gen_/);
    return true;
  });
});

test('a webhook of the mock passes the check of a handler, once', async () => {
  const mock = mockRenderkit();
  const secret = 'whsec_0123456789abcdef';
  const seen: string[] = [];
  const take = handler(secret, { ping: ({ data }) => void seen.push(data.message) });
  const event = {
    id: 'evt_1',
    object: 'event',
    type: 'ping',
    created_at: '2026-01-01T00:00:00.000Z',
    data: { message: 'hello' },
  } as const;
  assert.equal((await mock.sendWebhook(take, event, secret)).status, 200);
  assert.equal((await mock.sendWebhook(take, event, secret)).status, 200);
  assert.equal((await mock.sendWebhook(take, event, 'whsec_another')).status, 400);
  assert.deepEqual(seen, ['hello']);
});
