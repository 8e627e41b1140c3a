import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventSchemas } from '@renderkit/contract/v1/schemas/event.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import Stripe from 'stripe';
import { Compile } from 'typebox/compile';
import { createWebhook, listDeliveries, revealWebhookSecret, showDelivery } from '../src/operator.ts';
import { removeEndpoints } from '../src/webhooks/deliveries/testing/seed.ts';
import { startTestService, type TestService } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

// Follows events from the outcome to a receiver, over HTTP. `stripe`, an independent library, verifies this scheme of
// signatures.

const secretKey = Buffer.alloc(32, 5);
const egressAllow = ['127.0.0.0/8'];
const stripe = new Stripe('sk_test');

let service: TestService;
let studio: ScriptedRenders;
let receiver: Receiver;
let key: string;
before(async () => {
  service = await startTestService({ config: { secretKey, egressAllow } });
  studio = scriptRenders(service.studio);
  key = await service.createKey();
});
after(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  await removeEndpoints(service.database, service.accountId);
  service.studio.balance.lifetime_millicredits = 100_000;
  receiver = await startReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

async function endpoint(events: string[] = ['generation.succeeded'], path = '/hook') {
  return createWebhook(service.database, secretKey, {
    accountId: service.accountId,
    url: receiver.url + path,
    events,
    egressAllow,
  });
}

async function create(metadata: Record<string, string> = {}): Promise<string> {
  const { status, body, text } = await service.ask<Generation>('/v1/images/generations', {
    key,
    body: { prompt: 'a lighthouse', metadata },
  });
  assert.equal(status, 202, text);
  await studio.until(() => studio.renders.has(body.id));
  return body.id;
}

async function finished(how?: Parameters<ScriptedRenders['finish']>[1]): Promise<Generation> {
  const id = await create({ order: '4711' });
  studio.finish(id, how);
  return (await service.ask<Generation>(`/v1/generations/${id}?wait=20`, { key })).body;
}

/** Waits until the newest delivery is recorded as ended, which is a moment after its receiver got it. */
async function endedDelivery() {
  for (;;) {
    const [delivery] = await listDeliveries(service.database, { accountId: service.accountId });
    if (delivery?.status !== 'pending') return delivery;
    await sleep(20);
  }
}

test('a generation that succeeds is delivered, signed, once, as it was', async () => {
  const { id, secret } = await endpoint();
  assert.match(secret, /^whsec_[0-9A-Za-z]{32}$/);
  assert.equal(await revealWebhookSecret(service.database, secretKey, id), secret);
  const generation = await finished();
  const [delivered] = await receiver.until(1);
  assert.ok(delivered);
  assert.equal(delivered.headers['service-event'], 'generation.succeeded');
  assert.equal(delivered.headers['user-agent'], 'Service-API-Webhooks/1.0');
  assert.equal(delivered.headers['content-type'], 'application/json');
  assert.match(delivered.delivery, /^dlv_[0-9a-z]{26}$/);
  assert.match(delivered.event.id, /^evt_[0-9a-z]{26}$/);
  assert.deepEqual(delivered.event.data, generation);
  assert.ok(Compile(eventSchemas['generation.succeeded']).Check(delivered.event));
  const event = stripe.webhooks.constructEvent(
    delivered.body,
    String(delivered.headers['service-signature']),
    secret,
    300,
  );
  assert.equal(event.id, delivered.event.id);
  const delivery = await endedDelivery();
  assert.equal(receiver.received.length, 1);
  assert.equal(delivery?.status, 'delivered');
  assert.deepEqual([delivery.id, delivery.last_status, delivery.attempts], [delivered.delivery, 200, 1]);
  const shown = await showDelivery(service.database, delivered.delivery);
  assert.equal(shown.body, delivered.body.toString());
  assert.deepEqual(
    shown.history.map(({ number, status, failure, answer }) => ({ number, status, failure, answer })),
    [{ number: 1, status: 200, failure: null, answer: 'thank you' }],
  );
});

test('a generation that fails is delivered with its error; one with outputs missing is a success', async () => {
  await endpoint(['generation.succeeded', 'generation.failed']);
  await finished({ status: 'failed', error: { code: 'moderation_blocked', message: 'x' } });
  await finished({ outputs: 0 });
  const delivered = await receiver.until(2);
  const errors = delivered.map(({ event }) => [
    event.type,
    event.data['status'],
    (event.data['error'] as { code: string } | null)?.code,
  ]);
  assert.deepEqual(errors, [
    ['generation.failed', 'failed', 'moderation_blocked'],
    ['generation.succeeded', 'succeeded', 'partial_failure'],
  ]);
  assert.ok(Compile(eventSchemas['generation.failed']).Check(delivered[0]?.event));
  assert.deepEqual(delivered[0]?.event.data['metadata'], { order: '4711' });
});

test('canceling sends nothing, to whomever', async () => {
  await endpoint(['generation.succeeded', 'generation.failed']);
  const lane = { limit: 0, running: 0, running_elsewhere: 0 };
  const { limits } = studio;
  studio.limits = { overall: lane, image: lane, edit: lane, video: lane };
  await service.database.rows('update accounts set limits_read_at = null');
  const { body } = await service.ask<Generation>('/v1/images/generations', { key, body: { prompt: 'x' } });
  await sleep(100);
  const canceled = await service.ask<Generation>(`/v1/generations/${body.id}/cancel`, {
    key,
    method: 'POST',
  });
  assert.equal(canceled.body.status, 'canceled');
  studio.limits = limits;
  await service.database.rows('update accounts set limits_read_at = null');
  await sleep(300);
  assert.deepEqual(await listDeliveries(service.database, { accountId: service.accountId }), []);
  assert.equal(receiver.received.length, 0);
});

test('events of all keys of an account are delivered, and of no other account', async () => {
  await endpoint();
  const stranger = await service.connectAccount();
  await createWebhook(service.database, secretKey, {
    accountId: stranger,
    url: `${receiver.url}/stranger`,
    events: ['generation.succeeded'],
    egressAllow,
  });
  await finished();
  key = await service.createKey();
  await finished();
  await receiver.until(2);
  await sleep(200);
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/hook', '/hook'],
  );
});

test('an API key opens no door to webhooks', async () => {
  for (const path of ['/v1/webhooks', '/v1/webhook_endpoints', '/v1/deliveries'])
    assert.equal((await service.refusal(path, { key })).status, 404);
});

test('with two processes an event is still sent once', async () => {
  await endpoint();
  await using another = await service.startAnother();
  const generation = await finished();
  const [delivered] = await receiver.until(1);
  assert.equal(delivered?.event.data['id'], generation.id);
  assert.notEqual(another.url, service.url);
  await sleep(200);
  assert.equal(receiver.received.length, 1);
});
