import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import {
  createTestDatabase,
  endSessionsOf,
  type TestDatabase,
} from '@renderkit/server-kit/testing/database.ts';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { createWebhook, listDeliveries, showDelivery } from '../src/operator.ts';
import { seedAccount, seedEvent, seedEvents } from '../src/webhooks/deliveries/testing/seed.ts';
import { announceDue } from '../src/webhooks/events/queries.ts';
import type { Doom } from './doomed-entry.ts';
import { startDoomedService } from './doomed-service.ts';
import { type Receiver, startReceiver } from './receiver.ts';

// A process dies (or freezes) at the worst moment of an attempt, and another process continues from what it left. The
// lease is long enough not to expire during an attempt on a busy machine.
const leaseMs = 3_000;
const secretKey = Buffer.alloc(32, 9);
const egressAllow = ['127.0.0.0/8'];

let db: TestDatabase;
let database: Database;
let receiver: Receiver;
let accountId: string;
let running: Part[] = [];
before(async () => {
  db = await createTestDatabase('service');
  database = db.database;
});
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await database.rows('delete from accounts');
  await database.rows('delete from delivery_attempts');
  receiver = await startReceiver();
  accountId = await seedAccount(database);
  await createWebhook(database, secretKey, {
    accountId,
    url: receiver.url,
    events: ['generation.succeeded'],
    egressAllow,
  });
});
afterEach(async () => {
  await Promise.all(running.map((service) => service.kill()));
  running = [];
  await endSessionsOf(database, 'service');
  await receiver[Symbol.asyncDispose]();
});

async function start(doom: Omit<Doom, 'leaseMs'> = {}): Promise<Part> {
  const service = await startDoomedService({
    doom: { ...doom, leaseMs },
    databaseUrl: db.url,
    studioUrl: 'http://127.0.0.1:1',
    secretKey,
    egressAllow,
  });
  running.push(service);
  return service;
}

async function tell(): Promise<{ id: string; body: string }> {
  const event = await seedEvent(database, accountId);
  await announceDue(database, accountId);
  return event;
}

const allDelivered = async () =>
  (await database.rows(`select id from deliveries where status <> 'delivered' limit 1`)).length === 0;

for (const [point, requests, tries] of [
  ['delivery-claimed', 1, 2],
  ['delivery-posted', 2, 2],
  ['delivery-recorded', 1, 1],
] as const)
  test(
    `killed at ${point}: ${requests === 1 ? 'delivered once' : 'delivered twice under the same ids'}, as attempt one`,
    { skip: point !== 'delivery-posted' && unlessSoaking },
    async () => {
      const doomed = await start({ point });
      const event = await tell();
      await doomed.ended;
      await start();
      await until('the delivery', allDelivered);
      await sleep(500);
      assert.equal(receiver.received.length, requests);
      const [delivery, ...more] = await listDeliveries(database, { accountId });
      assert.ok(delivery !== undefined && more.length === 0);
      for (const request of receiver.received) {
        assert.equal(request.delivery, delivery.id);
        assert.equal(request.body.toString(), event.body);
      }
      const { history } = await showDelivery(database, delivery.id);
      assert.deepEqual(
        history.map(({ number }) => number),
        Array.from({ length: tries }, () => 1),
      );
      assert.deepEqual(
        history.map(({ failure }) => failure),
        tries === 2 ? ['interrupted', null] : [null],
      );
      assert.equal(delivery.attempts, 1);
    },
  );

test('frozen past its lease and thawed, a process changes nothing of what another recorded', async () => {
  const zombie = await start({ point: 'delivery-claimed', fate: 'waits' });
  const frozen = once(zombie.process, 'message');
  await tell();
  await frozen;
  await zombie.kill('SIGSTOP');
  await start();
  await until('the delivery', allDelivered);
  const recorded = () =>
    Promise.all(
      ['deliveries', 'delivery_attempts', 'delivery_queue'].map((table) =>
        database.rows(`select * from ${table}`),
      ),
    );
  const earlier = await recorded();
  await zombie.kill('SIGCONT');
  await receiver.until(2);
  await sleep(500);
  assert.deepEqual(await recorded(), earlier);
  assert.equal(new Set(receiver.received.map(({ delivery }) => delivery)).size, 1);
});

test(
  'two processes, one after another killed at random: every event arrives, under one id each',
  { skip: unlessSoaking },
  async () => {
    for (let i = 0; i < 9; i++)
      await createWebhook(database, secretKey, {
        accountId,
        url: `${receiver.url}/${i}`,
        events: ['generation.succeeded'],
        egressAllow,
      });
    receiver.answer = (_request, response) => void setTimeout(() => response.end(), Math.random() * 60);
    const services = [await start(), await start()];
    const events = 60;
    for (let round = 0; round < 6; round++) {
      await seedEvents(database, accountId, events / 6);
      await announceDue(database, accountId);
      await sleep(50 + Math.random() * 250);
      await services[round % 2]?.kill();
      services[round % 2] = await start();
    }
    await until('all', allDelivered);
    const ids = new Map<string, string>();
    for (const { delivery, path: endpoint, event } of receiver.received) {
      const name = `${endpoint} ${event.id}`;
      assert.equal(ids.get(name) ?? delivery, delivery);
      ids.set(name, delivery);
    }
    assert.equal(ids.size, events * 10);
    const numbers = await database.rows<{ number: number }>('select distinct number from delivery_attempts');
    assert.deepEqual(numbers, [{ number: 1 }]);
    assert.deepEqual(await database.rows('select delivery_id from delivery_queue'), []);
  },
);
