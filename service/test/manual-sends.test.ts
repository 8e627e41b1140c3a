import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import type { RunningService } from '../src/app.ts';
import { seedEvents } from '../src/webhooks/deliveries/testing/seed.ts';
import { assertProblem } from './assert-problem.ts';
import { type ConsoleCaller, signedIn } from './console-caller.ts';
import { fromConsole } from './console-session.ts';
import { type Answer, askAt, startTestService, type TestService } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

// Tests and resends go to addresses whose ownership nobody has proved, so their number is limited, over two services on
// one database.

let service: TestService;
let other: RunningService;
let person: ConsoleCaller;
let receiver: Receiver;
before(async () => {
  service = await startTestService({
    config: { egressAllow: ['127.0.0.0/8'] },
    deliveryPollMs: 50,
  });
  other = await service.startAnother();
});
after(async () => {
  await other[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await moveClock(service.database, 0);
  for (const table of ['manual_sends', 'events', 'webhook_endpoints', 'audit_entries'])
    await service.database.rows(`delete from ${table}`);
  person = await signedIn(service);
  receiver = await startReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const create = async (by = person) =>
  (
    await by.call('createWebhook', {
      body: { url: `${receiver.url}/hook`, events: ['generation.succeeded'] },
    })
  ).id;
/** Sends `count` requests at once, alternately to both services. */
const atOnce = (count: number, path: string, by = person) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      askAt<{ detail: string }>((i % 2 === 0 ? service : other).url, path, {
        method: 'POST',
        headers: { cookie: by.browser.cookie, ...fromConsole },
      }),
    ),
  );
const ping = (id: string, count = 1, by = person) => atOnce(count, `/console/api/webhooks/${id}/ping`, by);
const resend = (id: string, count = 1) => atOnce(count, `/console/api/deliveries/${id}/resend`);
const taken = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300).length;
const count = async (table: string) =>
  Number((await service.database.rows<{ n: string }>(`select count(*) as n from ${table}`))[0]?.n);

function assertWaits(answers: readonly Answer<{ detail: string }>[], words: RegExp): void {
  for (const answer of answers) {
    assertProblem(answer, 'rate_limited', answer.text);
    const seconds = Number(answer.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
    assert.match(answer.body.detail, words);
    assert.ok(answer.body.detail.includes(`in ${seconds} s.`), answer.body.detail);
  }
}

test('ten tests of an endpoint in any minute, however many are asked for at once at two services', async () => {
  const [id, another] = [await create(), await create()];
  const answers = await ping(id, 40);
  assert.equal(taken(answers), 10);
  assertWaits(
    answers.filter(({ status }) => status >= 300),
    /^This endpoint can have 10 test deliveries a minute/,
  );
  for (const table of [
    'deliveries',
    'events',
    'manual_sends',
    `audit_entries where action = 'webhook.pinged'`,
  ])
    assert.equal(await count(table), 10, table);
  assert.equal(taken(await ping(another, 3)), 3, 'another endpoint has its own');

  await moveClock(service.database, 40);
  assertWaits(await ping(id), /in (?:1?\d|20) s\.$/);
  await moveClock(service.database, 61);
  assert.equal(taken(await ping(id, 2)), 2);
  // The window slides: those two count until they are one minute old.
  await moveClock(service.database, 61 + 55);
  assert.equal(taken(await ping(id, 20)), 8);
  await moveClock(service.database, 61 + 62);
  assert.equal(taken(await ping(id, 20)), 2);
});

test('endpoints that are made anew, or lead elsewhere, get no more than their account', async () => {
  for (let i = 0; i < 3; i++) {
    const id = await create();
    assert.equal(taken(await ping(id, 5)), 5);
    await person.call('updateWebhook', { params: { id }, body: { url: `${receiver.url}/elsewhere${i}` } });
    assert.equal(taken(await ping(id, 10)), 5);
    await person.call('deleteWebhook', { params: { id } });
  }
  const id = await create();
  assertWaits(await ping(id, 3), /^The endpoints of this account can have 30 test deliveries a minute/);
  const stranger = await signedIn(service, await service.connectAccount());
  assert.equal(taken(await ping(await create(stranger), 1, stranger)), 1, 'another account has its own');
});

test('resends are counted too, and those of tests among the tests', async () => {
  const id = await create();
  const first = (await ping(id, 8))[0] ?? assert.fail();
  const { id: deliveryId } = first.body as unknown as { id: string };
  const again = await resend(deliveryId, 6);
  assert.equal(taken(again), 2);
  assertWaits(
    again.filter(({ status }) => status >= 300),
    /^This endpoint can have 10 test deliveries/,
  );

  await seedEvents(service.database, service.accountId, 1);
  const { data } = await person.call('listDeliveries', { query: { event_type: 'generation.succeeded' } });
  const event = data[0]?.id ?? assert.fail();
  const answers = await resend(event, 50);
  assert.equal(taken(answers), 30);
  assertWaits(
    answers.filter(({ status }) => status >= 300),
    /^This endpoint can have 30 resends a minute/,
  );
  await service.database.rows(
    `update deliveries set status = 'failed', given_up = 'failed', completed_at = clock()`,
  );
  const body = { since: '2020-01-01T00:00:00Z' };
  await person.refused('recoverDeliveries', { params: { id }, body }, 'rate_limited');
  await moveClock(service.database, 61);
  assert.equal((await person.call('recoverDeliveries', { params: { id }, body })).resent, 1, 'no tests');
});
