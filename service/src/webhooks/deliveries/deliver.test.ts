import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventTypes, subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { type Receiver, startReceiver } from '../../../test/receiver.ts';
import { startTcpProxy } from '@renderkit/server-kit/testing/tcp-proxy.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { operator } from '../../identity/audit/actor.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { createWebhook } from '../endpoints/create-webhook.ts';
import { deleteWebhook } from '../endpoints/delete-webhook.ts';
import { pingWebhook } from '../endpoints/ping-webhook.ts';
import { rotateSecret } from '../endpoints/signing-secrets.ts';
import { pauseWebhook, resumeWebhook, updateWebhook } from '../endpoints/update-webhook.ts';
import { composeEvent } from '../events/compose-event.ts';
import { announceDue, writeEvent } from '../events/queries.ts';
import { attemptDelaySeconds } from '../retry-schedule.ts';
import type { Deliveries } from './start-deliveries.ts';
import { listDeliveries, showDelivery } from './list-deliveries.ts';
import { recoverDeliveries, resendDelivery } from './resend-delivery.ts';
import { signatureHeader } from './sign.ts';
import {
  allow,
  removeEndpoints,
  secrets,
  seedAccount,
  seedEndpoints,
  seedEvent,
  seedEvents,
  startDeliverer,
} from './testing/seed.ts';

let db: TestDatabase;
let database: Database;
let receiver: Receiver;
let deliverer: Deliveries;
before(async () => {
  db = await createTestDatabase('service');
  database = db.database;
});
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await database.rows('delete from accounts');
  await database.rows('delete from delivery_attempts');
  await moveClock(database, 0);
  receiver = await startReceiver();
  deliverer = startDeliverer(database);
});
afterEach(async () => {
  await deliverer[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const conflict = (error: unknown) => error instanceof ApiProblem && error.code === 'conflict';
const notFound = (error: unknown) => error instanceof ApiProblem && error.code === 'not_found';

async function only(accountId: string) {
  const [delivery, ...more] = await listDeliveries(database, { accountId });
  assert.ok(delivery);
  assert.equal(more.length, 0);
  return delivery;
}

/** Waits until the given number of attempts has ended. */
const ended = (accountId: string, attempts: number) =>
  until(`attempt ${attempts}`, async () => (await only(accountId)).attempts === attempts);

async function failingEndpoint() {
  receiver.answer = (_request, response) => void response.writeHead(500).end('no');
  const { accountId, endpoints } = await seedEndpoints(database, [receiver.url]);
  return { accountId, endpoint: endpoints[0] ?? assert.fail() };
}

test('seven attempts, each at its delay after the one before and no earlier, then it is failed', async () => {
  const { accountId } = await failingEndpoint();
  const event = await seedEvent(database, accountId);
  await ended(accountId, 1);
  let clock = 0;
  for (const [index, delay] of attemptDelaySeconds.entries()) {
    if (index === 0) continue;
    const [due] = await database.rows<{ seconds: number }>(
      `select extract(epoch from q.scheduled_at - a.ended_at)::float as seconds
         from delivery_queue q join delivery_attempts a using (delivery_id) where a.number = $1`,
      [index],
    );
    assert.equal(due?.seconds, delay);
    await moveClock(database, clock + delay - 3);
    await sleep(150);
    assert.equal(receiver.received.length, index, `attempt ${index + 1} came too early`);
    clock += delay;
    await moveClock(database, clock);
    await ended(accountId, index + 1);
  }
  await moveClock(database, clock + 7 * 86_400);
  await sleep(150);
  assert.equal(receiver.received.length, 7);
  const delivery = await only(accountId);
  assert.deepEqual([delivery.status, delivery.attempts, delivery.next_attempt_at], ['failed', 7, null]);
  for (const { body, delivery: id } of receiver.received) {
    assert.equal(body.toString(), event.body);
    assert.equal(id, delivery.id);
  }
  const { history } = await showDelivery(database, delivery.id);
  assert.deepEqual(
    history.map(({ number, status, failure, answer }) => [number, status, failure, answer]),
    [1, 2, 3, 4, 5, 6, 7].map((number) => [number, 500, 'status', 'no']),
  );
});

test('what is pending goes to the URL that its endpoint has by then, at the time that it had', async () => {
  const { accountId, endpoint } = await failingEndpoint();
  const event = await seedEvent(database, accountId);
  await ended(accountId, 1);
  receiver.answer = (_request, response) => void response.writeHead(204).end();
  await updateWebhook(database, endpoint.id, { url: `${receiver.url}/moved` }, operator, { allow });
  await sleep(150);
  assert.equal(receiver.received.length, 1, 'it is not sent before its time');
  await moveClock(database, 60);
  await until('the success', async () => (await only(accountId)).status === 'delivered');
  assert.deepEqual(
    receiver.received.map(({ path, body }) => [path, body.toString()]),
    [
      ['/', event.body],
      ['/moved', event.body],
    ],
  );
});

test('a success ends the schedule, whichever attempt it is', async () => {
  const { accountId } = await failingEndpoint();
  await seedEvent(database, accountId);
  await ended(accountId, 1);
  receiver.answer = (_request, response) => void response.writeHead(204).end();
  await moveClock(database, 60);
  await until('the success', async () => (await only(accountId)).status === 'delivered');
  await moveClock(database, 7 * 86_400);
  await sleep(150);
  assert.equal(receiver.received.length, 2);
});

test('each endpoint gets the types that it chose, and a ping whatever it chose', async () => {
  const accountId = await seedAccount(database);
  const other = await seedEndpoints(database, [`${receiver.url}/other`]);
  const subsets = [
    [],
    ...subscribableEventTypes.map((type) => [type]),
    subscribableEventTypes.slice(1),
    [...subscribableEventTypes],
  ];
  const ids = [];
  for (const [i, events] of subsets.entries())
    ids.push(
      (
        await createWebhook(
          database,
          secrets,
          { accountId, url: `${receiver.url}/${i}`, events, allow },
          operator.actor,
        )
      ).id,
    );
  for (const type of subscribableEventTypes) {
    const { deliveries } = await seedEvent(database, accountId, type);
    assert.equal(deliveries, subsets.filter((events) => events.includes(type)).length);
  }
  for (const id of ids) await pingWebhook(database, id, operator);
  const expected = subsets.flatMap((events, i) => [...events, 'ping'].map((type) => `/${i} ${type}`)).sort();
  await receiver.until(expected.length);
  await sleep(150);
  const came = receiver.received.map(({ path, event }) => `${path} ${event.type}`).sort();
  assert.deepEqual(came, expected);
  for (const { headers, event } of receiver.received) {
    assert.equal(headers['service-event'], event.type);
    assert.ok(eventTypes.includes(event.type as never));
  }
  assert.deepEqual(await listDeliveries(database, { accountId: other.accountId }), []);
});

test('an endpoint made after the event, or paused or deleted at that moment, gets nothing of it', async () => {
  const { accountId, endpoints } = await seedEndpoints(database, [`${receiver.url}/a`, `${receiver.url}/b`]);
  const [paused, deleted] = endpoints.map(({ id }) => id);
  await pauseWebhook(database, paused ?? '', operator);
  await deleteWebhook(database, deleted ?? '', operator);
  assert.equal((await seedEvent(database, accountId)).deliveries, 0);
  await createWebhook(
    database,
    secrets,
    { accountId, url: `${receiver.url}/c`, events: [], allow },
    operator.actor,
  );
  await resumeWebhook(database, paused ?? '', operator);
  await sleep(150);
  assert.equal(receiver.received.length, 0);
});

test('while an endpoint is paused its retries rest and pings go through; resumed, it goes on where it was', async () => {
  const { accountId, endpoint } = await failingEndpoint();
  await seedEvent(database, accountId);
  await ended(accountId, 1);
  await pauseWebhook(database, endpoint.id, operator);
  await pauseWebhook(database, endpoint.id, operator);
  await moveClock(database, 86_400);
  await sleep(150);
  assert.equal(receiver.received.length, 1);
  assert.equal((await only(accountId)).next_attempt_at, null);
  await assert.rejects(resendDelivery(database, (await only(accountId)).id, operator), conflict);
  receiver.answer = (_request, response) => void response.end();
  await pingWebhook(database, endpoint.id, operator);
  const [, ping] = await receiver.until(2);
  assert.equal(ping?.event.type, 'ping');
  assert.equal(typeof ping.event.data['message'], 'string');
  await resumeWebhook(database, endpoint.id, operator);
  const [first, , second] = await receiver.until(3);
  assert.equal(second?.delivery, first?.delivery);
  await until('both', async () =>
    (await listDeliveries(database, { accountId })).every(({ status }) => status === 'delivered'),
  );
});

test('deleting an endpoint ends what is pending and lets its history be looked at', async () => {
  const { accountId, endpoint } = await failingEndpoint();
  await seedEvent(database, accountId);
  await ended(accountId, 1);
  await seedEvents(database, accountId, 20);
  await deleteWebhook(database, endpoint.id, operator);
  await until('the end of all', async () =>
    (await listDeliveries(database, { accountId })).every(({ status }) => status === 'ended'),
  );
  await sleep(100);
  const { length } = receiver.received;
  await moveClock(database, 86_400);
  await sleep(150);
  assert.equal(receiver.received.length, length);
  const [delivery] = await listDeliveries(database, { accountId, status: 'ended' });
  assert.ok((await showDelivery(database, delivery?.id ?? '')).delivery.completed_at);
  await assert.rejects(resendDelivery(database, delivery?.id ?? '', operator), conflict);
  await assert.rejects(recoverDeliveries(database, endpoint.id, '2026-01-01T00:00:00Z', operator), conflict);
  await assert.rejects(pingWebhook(database, endpoint.id, operator), notFound);
  assert.deepEqual(await database.rows('select delivery_id from delivery_queue'), []);
});

test('a resend is an extra attempt under the same ids and moves nothing in the schedule', async () => {
  const { accountId } = await failingEndpoint();
  await seedEvent(database, accountId);
  await ended(accountId, 1);
  const before_ = await only(accountId);
  await resendDelivery(database, before_.id, operator);
  await receiver.until(2);
  await until(
    'its record',
    async () => (await showDelivery(database, before_.id)).history[1]?.status === 500,
  );
  const after_ = await only(accountId);
  assert.deepEqual(
    [after_.status, after_.attempts, after_.next_attempt_at],
    ['pending', 1, before_.next_attempt_at],
  );
  receiver.answer = (_request, response) => void response.end();
  await resendDelivery(database, before_.id, operator);
  await until('the success', async () => (await only(accountId)).status === 'delivered');
  await moveClock(database, 60);
  await sleep(150);
  assert.equal(receiver.received.length, 3);
  await resendDelivery(database, before_.id, operator);
  await receiver.until(4);
  assert.equal(new Set(receiver.received.map(({ delivery }) => delivery)).size, 1);
  const { history } = await showDelivery(database, before_.id);
  assert.deepEqual(
    history.map(({ number }) => number),
    [1, null, null, null].slice(0, history.length),
  );
});

test('a resend asked for while an attempt is under way is sent when that has ended', async () => {
  const { accountId } = await seedEndpoints(database, [receiver.url]);
  let release = () => undefined as unknown;
  receiver.answer = (_request, response) => {
    release = () => response.end();
  };
  await seedEvent(database, accountId);
  await receiver.until(1);
  await resendDelivery(database, (await only(accountId)).id, operator);
  await sleep(100);
  assert.equal(receiver.received.length, 1);
  release();
  await receiver.until(2);
  release();
  await until('the end', async () => (await database.rows('select 1 from delivery_queue')).length === 0);
});

test('recovering sends everything that failed since then, once more each', async () => {
  const { accountId, endpoint } = await failingEndpoint();
  await seedEvents(database, accountId, 3);
  await until('three', () => receiver.received.length >= 3);
  // Makes the delivery look as if its schedule had ended.
  await until(
    'the records',
    async () =>
      (await database.rows('select 1 from delivery_queue where lease_until is not null')).length === 0,
  );
  await database.rows(
    `update deliveries set status = 'failed', given_up = 'failed', attempts = 7, completed_at = clock()`,
  );
  await database.rows('delete from delivery_queue');
  const [oldest] = (await listDeliveries(database, { accountId })).slice(-1);
  await database.rows(`update deliveries set created_at = created_at - interval '2 hours' where id = $1`, [
    oldest?.id,
  ]);
  receiver.answer = (_request, response) => void response.end();
  const since = new Date(Date.now() - 3_600_000).toISOString();
  assert.equal(await recoverDeliveries(database, endpoint.id, since, operator), 2);
  await until(
    'both',
    async () => (await listDeliveries(database, { accountId, status: 'delivered' })).length === 2,
  );
  const [left] = await listDeliveries(database, { accountId, endpointId: endpoint.id, status: 'failed' });
  assert.equal(left?.id, oldest?.id);
});

test('for a day after a rotation the old secret signs too, and the new one last', async () => {
  const { accountId, endpoints } = await seedEndpoints(database, [receiver.url]);
  const { id, secret: old } = endpoints[0] ?? assert.fail();
  const { secret: fresh } = await rotateSecret(database, secrets, id, operator);
  assert.notEqual(fresh, old);
  const signed = async (count: number, by: string[]) => {
    await seedEvent(database, accountId);
    const request = (await receiver.until(count))[count - 1];
    const header = String(request?.headers['service-signature']);
    const t = Number(/^t=(\d+),/.exec(header)?.[1]);
    const body = request?.body ?? Buffer.alloc(0);
    assert.equal(header, signatureHeader(by, t, body));
    // A receiver that puts the pairs into a map keeps the last `v1`: with the new secret it can verify at once.
    const map = Object.fromEntries(header.split(',').map((pair) => pair.split('=')));
    assert.equal(`t=${t},v1=${map['v1']}`, signatureHeader([fresh], t, body));
    assert.ok(Math.abs(t - Date.now() / 1000) < 5);
  };
  await signed(1, [old, fresh]);
  await moveClock(database, 86_400 - 60);
  await signed(2, [old, fresh]);
  await moveClock(database, 86_400 + 1);
  await signed(3, [fresh]);
});

test('nine endpoints that hang leave the tenth its events on time', async () => {
  const hanging = await seedEndpoints(
    database,
    Array.from({ length: 9 }, (_, i) => `${receiver.url}/hang${i}`),
  );
  const healthy = await seedEndpoints(database, [`${receiver.url}/fine`]);
  receiver.answer = ({ path }, response) => {
    if (path === '/fine') response.end();
  };
  await seedEvents(database, hanging.accountId, 50);
  const began = performance.now();
  for (let i = 0; i < 20; i++) {
    await seedEvents(database, healthy.accountId, 5);
    await announceDue(database, healthy.accountId);
    await sleep(20);
  }
  await until(
    'all of the tenth',
    () => receiver.received.filter(({ path }) => path === '/fine').length === 100,
  );
  assert.ok(performance.now() - began < 5_000);
  // The hanging attempts end with the deliverer, not with this test.
  await removeEndpoints(database, hanging.accountId);
  await receiver[Symbol.asyncDispose]();
});

test('events of several accounts in one transaction, in any order, deadlock with nothing that delivers', async () => {
  const accounts: string[] = [];
  for (const name of ['a', 'b', 'c'])
    accounts.push(
      (await seedEndpoints(database, [`${receiver.url}/${name}1`, `${receiver.url}/${name}2`])).accountId,
    );
  await using another = startDeliverer(database);
  for (let round = 0; round < 25; round++) {
    const order = round % 2 === 0 ? accounts : accounts.toReversed();
    await database.transaction(async (transaction) => {
      await transaction.execute('select from accounts where id = any ($1) order by id for no key update', [
        accounts,
      ]);
      for (const accountId of order) {
        const at = new Date().toISOString();
        const subjectId = newId('upl_');
        const event = composeEvent('upload.ready', JSON.stringify({ id: subjectId }), at);
        assert.equal(await writeEvent(transaction, event, { accountId, subjectId, at }), 2);
      }
    });
    another.announce(accounts);
  }
  await until('all', async () => (await database.rows('select 1 from delivery_queue limit 1')).length === 0);
  assert.equal(receiver.received.length, 25 * 6);
  const [{ deadlocks } = { deadlocks: -1 }] = await database.rows<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  assert.equal(deadlocks, 0);
});

test('more endpoints that fail and hang than half of the slots leave the others theirs', async () => {
  await deliverer[Symbol.asyncDispose]();
  const hanging: string[] = [];
  for (let account = 0; account < 4; account++) {
    const urls = Array.from({ length: 10 }, (_, i) => `${receiver.url}/hang${account}-${i}`);
    const { accountId } = await seedEndpoints(database, urls);
    hanging.push(accountId);
    await seedEvents(database, accountId, 20);
  }
  await database.rows(`update endpoint_turns set state = 'failing', failing_since = clock()`);
  const healthy = await seedEndpoints(database, [`${receiver.url}/fine`]);
  receiver.answer = ({ path }, response) => {
    if (path === '/fine') response.end();
  };
  deliverer = startDeliverer(database, { maxConcurrentAttempts: 20 });
  await until('half of the slots', () => receiver.received.length >= 10);
  for (let i = 0; i < 10; i++) {
    await seedEvents(database, healthy.accountId, 5);
    deliverer.announce([healthy.accountId]);
    await sleep(20);
  }
  await until(
    'all of the healthy one',
    () => receiver.received.filter(({ path }) => path === '/fine').length === 50,
  );
  // No hanging attempt had to end first.
  assert.equal(receiver.received.filter(({ path }) => path !== '/fine').length, 10);
  await receiver[Symbol.asyncDispose]();
});

test('a process that stops takes nothing new and lets what is under way end', async () => {
  const { accountId } = await seedEndpoints(database, [receiver.url]);
  receiver.answer = (_request, response) => void setTimeout(() => response.end(), 300);
  await seedEvent(database, accountId);
  await receiver.until(1);
  const stopped = deliverer[Symbol.asyncDispose]();
  await seedEvent(database, accountId);
  await stopped;
  await sleep(150);
  assert.equal(receiver.received.length, 1);
  const statuses = (await listDeliveries(database, { accountId })).map(({ status }) => status);
  assert.deepEqual(statuses, ['pending', 'delivered']);
});

test('a database that is away when an answer comes hears of it later: one request, one attempt', async () => {
  await deliverer[Symbol.asyncDispose]();
  await using proxy = await startTcpProxy(db.url);
  await using remote = openDatabase({ url: proxy.url, applicationName: 'test' });
  deliverer = startDeliverer(remote);
  const { accountId } = await seedEndpoints(database, [receiver.url]);
  let release = () => {};
  receiver.answer = (_request, response) => {
    release = () => void response.end();
  };
  await seedEvent(database, accountId);
  await receiver.until(1);
  proxy.cut();
  release();
  await sleep(800);
  assert.equal((await only(accountId)).status, 'pending');
  proxy.mend();
  await until('the record', async () => (await only(accountId)).status === 'delivered');
  const { history } = await showDelivery(database, (await only(accountId)).id);
  assert.deepEqual(
    history.map(({ number, status }) => [number, status]),
    [[1, 200]],
  );
  // The deliverer continues.
  receiver.answer = (_request, response) => void response.end();
  await seedEvent(database, accountId);
  await receiver.until(2);
  await deliverer[Symbol.asyncDispose]();
});
