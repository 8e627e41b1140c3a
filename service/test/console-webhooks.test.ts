import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { seedEvent } from '../src/webhooks/deliveries/testing/seed.ts';
import { type ConsoleCaller, signedIn } from './console-caller.ts';
import { startTestService, type TestService } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let service: TestService;
let person: ConsoleCaller;
let receiver: Receiver;
before(async () => {
  service = await startTestService({
    config: { egressAllow: ['127.0.0.0/8'] },
    deliveryPollMs: 50,
  });
});
after(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const table of ['events', 'webhook_endpoints', 'audit_entries'])
    await service.database.rows(`delete from ${table}`);
  person = await signedIn(service);
  receiver = await startReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const create = (more: object = {}) =>
  person.call('createWebhook', {
    body: { url: `${receiver.url}/hook`, events: [...subscribableEventTypes], ...more },
  });
const at = (id: string) => ({ params: { id } });
const emit = () => seedEvent(service.database, service.accountId);
const deliveries = async (query: object = {}) => (await person.call('listDeliveries', { query })).data;
const audited = async () =>
  (await person.call('listAudit', { query: { limit: 100 } })).data
    .filter(({ action }) => !action.startsWith('session.') && !action.startsWith('connection.'))
    .map(({ action, subject_id, details }) => [action, subject_id, details])
    .toReversed();

const fail = () => (receiver.answer = (_request, response) => void response.writeHead(500).end('<b>no</b>'));
const succeed = () => (receiver.answer = (_request, response) => void response.end('yes'));
/** Ends a delivery's schedule, as if the last attempt had failed. */
const giveUp = (id: string) =>
  service.database.rows(
    `with gone as (delete from delivery_queue where delivery_id = $1)
     update deliveries set status = 'failed', given_up = 'failed', completed_at = clock() where id = $1`,
    [id],
  );

test('an endpoint is made, tried, looked at, changed, given a new secret and deleted', async () => {
  const made = await create({ events: ['generation.failed'] });
  assert.match(made.secret, /^whsec_\w{32}$/);
  assert.deepEqual(
    [made.status, made.failing_since, made.health],
    ['active', null, { delivered: 0, failed: 0, pending: 0 }],
  );
  const ping = await person.call('pingWebhook', at(made.id));
  assert.deepEqual([ping.event_type, ping.endpoint_id, ping.url], ['ping', made.id, made.url]);
  const done = await until('the ping', async () => {
    const delivery = await person.call('getDelivery', at(ping.id));
    return delivery.status === 'delivered' && delivery;
  });
  const [sent] = receiver.received;
  assert.equal(done.request.body, sent?.body.toString());
  const names = Object.keys(done.request.headers);
  for (const name of names.filter((one) => one !== 'Service-Signature'))
    assert.equal(sent?.headers[name.toLowerCase()], done.request.headers[name], name);
  assert.equal(sent?.delivery, ping.id);
  assert.deepEqual(
    done.attempts_made.map(({ number, status, failure, answer }) => [number, status, failure, answer]),
    [[1, 200, null, 'thank you']],
  );
  assert.deepEqual((await person.call('getWebhook', at(made.id))).health, {
    delivered: 1,
    failed: 0,
    pending: 0,
  });
  const first = await person.call('revealWebhookSecret', at(made.id));
  assert.deepEqual([first.secret, first.previous_until], [made.secret, null]);
  const second = await person.call('rotateWebhookSecret', at(made.id));
  assert.notEqual(second.secret, made.secret);
  assert.ok(Date.parse(second.previous_until ?? '') > Date.now() + 23 * 3_600_000);
  assert.deepEqual(
    (await person.call('revealWebhookSecret', at(made.id))).previous_until,
    second.previous_until,
  );
  await person.call('updateWebhook', { ...at(made.id), body: { events: [], url: `${receiver.url}/other` } });
  const [listed] = (await person.call('listWebhooks')).data;
  assert.deepEqual([listed?.url, listed?.events], [`${receiver.url}/other`, []]);
  await person.call('deleteWebhook', at(made.id));
  await person.refused('getWebhook', at(made.id), 'not_found');
  assert.deepEqual((await person.call('listWebhooks')).data, []);
  assert.equal((await person.call('getDelivery', at(ping.id))).status, 'delivered');
  const entries = await audited();
  assert.deepEqual(
    entries.map(([action]) => action),
    [
      'webhook.created',
      'webhook.pinged',
      'webhook.secret_revealed',
      'webhook.secret_rotated',
      'webhook.secret_revealed',
      'webhook.updated',
      'webhook.deleted',
    ],
  );
  for (const { secret } of [made, second]) assert.ok(!JSON.stringify(entries).includes(secret));
});

test('paused, an endpoint gets pings alone; active again, it gets what fell due meanwhile', async () => {
  fail();
  const { id } = await create();
  await emit();
  const [pending] = await until('the first attempt', async () => {
    const found = await deliveries({ endpoint_id: id });
    return found[0]?.attempts === 1 && found;
  });
  assert.notEqual(pending?.next_attempt_at, null);
  assert.notEqual((await person.call('getWebhook', at(id))).failing_since, null);
  const paused = await person.call('updateWebhook', { ...at(id), body: { status: 'paused' } });
  assert.deepEqual([paused.status, paused.health.pending], ['paused', 1]);
  succeed();
  assert.equal((await person.call('getDelivery', at(pending?.id ?? ''))).next_attempt_at, null);
  await person.refused('resendDelivery', at(pending?.id ?? ''), 'conflict');
  await person.refused(
    'recoverDeliveries',
    { ...at(id), body: { since: '2020-01-01T00:00:00Z' } },
    'conflict',
  );
  await emit();
  const ping = await person.call('pingWebhook', at(id));
  await until('the ping', async () => (await person.call('getDelivery', at(ping.id))).status === 'delivered');
  assert.equal((await deliveries({ event_type: 'generation.succeeded' })).length, 1);
  await service.database.rows('update delivery_queue set scheduled_at = clock(), claim_at = clock()');
  await person.call('updateWebhook', { ...at(id), body: { status: 'active' } });
  await until('what was held back', async () => (await deliveries({ status: 'delivered' })).length === 2);
  assert.deepEqual(
    (await audited()).map(([action]) => action),
    ['webhook.created', 'webhook.paused', 'webhook.pinged', 'webhook.resumed'],
  );
});

test('a failed delivery is sent again by hand, or all that failed since a moment', async () => {
  fail();
  const { id } = await create();
  for (let i = 0; i < 3; i++) await emit();
  const failed = await until('three attempts', async () => {
    const found = await deliveries({ endpoint_id: id });
    return found.length === 3 && found.every(({ attempts }) => attempts === 1) && found;
  });
  for (const delivery of failed) await giveUp(delivery.id);
  assert.equal((await deliveries({ status: 'failed' })).length, 3);
  const [newest] = failed;
  succeed();
  const resent = await person.call('resendDelivery', at(newest?.id ?? ''));
  assert.equal(resent.id, newest?.id);
  const detail = await until('the resend', async () => {
    const one = await person.call('getDelivery', at(resent.id));
    return one.status === 'delivered' && one;
  });
  assert.deepEqual(
    detail.attempts_made.map(({ number, failure }) => [number, failure]),
    [
      [null, null],
      [1, 'status'],
    ],
  );
  assert.equal(detail.attempts_made[1]?.answer, '<b>no</b>');
  const recover = (since: string) => person.call('recoverDeliveries', { ...at(id), body: { since } });
  for (const late of ['2999-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'])
    assert.equal((await recover(late)).resent, 0, late);
  assert.equal((await recover('2020-01-01T00:00:00+14:00')).resent, 2);
  await until('the rest', async () => (await deliveries({ status: 'delivered' })).length === 3);
  for (const since of ['yesterday', '2026-13-01T00:00:00Z', '2026-11-21', '0000-01-01T00:00:00Z'])
    await person.refused('recoverDeliveries', { ...at(id), body: { since } }, 'invalid_request');
  assert.deepEqual((await audited()).slice(1), [
    ['delivery.resent', resent.id, { event: resent.event_id, endpoint: id, url: resent.url }],
    ['delivery.recovered', id, { since: '2019-12-31T10:00:00.000Z' }],
  ]);
});

test('deliveries are listed by endpoint, event, type and status, in pages', async () => {
  const [one, other] = [await create(), await create({ url: `${receiver.url}/other` })];
  const events = [];
  for (let i = 0; i < 5; i++) events.push(await emit());
  await until('all', async () => (await deliveries({ status: 'delivered' })).length === 10);
  const all = await deliveries();
  for (const page of [1, 2, 3]) {
    const list = await person.call('listDeliveries', { query: { page, limit: 4 } });
    assert.deepEqual(list.data, all.slice((page - 1) * 4, page * 4));
    assert.deepEqual([list.page, list.limit, list.has_more], [page, 4, page < 3]);
  }
  assert.equal((await deliveries({ endpoint_id: one.id })).length, 5);
  assert.equal((await deliveries({ endpoint_id: one.id, status: 'delivered' })).length, 5);
  assert.equal((await deliveries({ endpoint_id: other.id, status: 'pending' })).length, 0);
  const ofEvent = await deliveries({ event_id: events[2]?.id });
  assert.deepEqual(ofEvent.map(({ endpoint_id: id }) => id).sort(), [one.id, other.id].sort());
  assert.equal((await deliveries({ event_type: 'ping' })).length, 0);
  assert.equal((await deliveries({ event_type: 'generation.succeeded', status: 'delivered' })).length, 10);
  await person.refused('listDeliveries', { query: { status: 'lost' } }, 'invalid_request');
});

test("another account's endpoints and deliveries are unknown to the byte", async () => {
  const { id } = await create();
  const ping = await person.call('pingWebhook', at(id));
  const stranger = await signedIn(service, await service.connectAccount());
  const told = (answer: { text: string }) => answer.text.replace(/req_\w+/, '');
  const body = { since: '2020-01-01T00:00:00Z' };
  for (const ask of [
    (asked: string) => stranger.refused('getWebhook', at(asked), 'not_found'),
    (asked: string) => stranger.refused('updateWebhook', { ...at(asked), body: {} }, 'not_found'),
    (asked: string) => stranger.refused('deleteWebhook', at(asked), 'not_found'),
    (asked: string) => stranger.refused('revealWebhookSecret', at(asked), 'not_found'),
    (asked: string) => stranger.refused('rotateWebhookSecret', at(asked), 'not_found'),
    (asked: string) => stranger.refused('pingWebhook', at(asked), 'not_found'),
    (asked: string) => stranger.refused('recoverDeliveries', { ...at(asked), body }, 'not_found'),
  ])
    assert.equal(told(await ask(id)), told(await ask('whk_00000000000000000000000000')));
  for (const operation of ['getDelivery', 'resendDelivery'] as const)
    assert.equal(
      told(await stranger.refused(operation, at(ping.id), 'not_found')),
      told(await stranger.refused(operation, at('dlv_00000000000000000000000000'), 'not_found')),
    );
  for (const query of [{}, { endpoint_id: id }, { event_id: ping.event_id }])
    assert.deepEqual((await stranger.call('listDeliveries', { query })).data, []);
  assert.deepEqual((await stranger.call('listWebhooks')).data, []);
  assert.ok(!(await stranger.call('listAudit')).data.some(({ subject_id: subject }) => subject === id));
});

test('an endpoint that makes no sense is refused by the name of its field, and leaves no trace', async () => {
  const asked = { url: 'https://10.0.0.1/', events: ['upload.ready'] };
  const refusal = await person.refused('createWebhook', { body: asked }, 'invalid_request');
  assert.deepEqual(
    refusal.body.errors?.map(({ field }) => field),
    ['url'],
  );
  await person.refused('createWebhook', { body: { ...asked, events: ['ping'] } }, 'invalid_request');
  await person.refused('createWebhook', { body: { ...asked, secret: 'whsec_x' } }, 'invalid_request');
  assert.deepEqual(await audited(), []);
});

test('ten endpoints are the most, however many are made at once', async () => {
  const body = { url: 'https://8.8.8.8/', events: [] };
  const answers = await Promise.all(
    Array.from({ length: 15 }, () => person.browser.ask('/console/api/webhooks', { body })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 10);
  assert.equal(answers.filter(({ status }) => status === 409).length, 5);
  assert.equal((await audited()).length, 10);
});
