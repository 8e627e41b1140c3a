import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import {
  createTestDatabase,
  endSessionsOf,
  type TestDatabase,
} from '@renderkit/server-kit/testing/database.ts';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { connectAccount, createKey, createWebhook } from '../src/operator.ts';
import type { Doom } from './doomed-entry.ts';
import { startDoomedService } from './doomed-service.ts';
import { type Answer, askAt } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';
import { type ScriptedStudio, startScriptedStudio } from './scripted-studio.ts';

// In each test a process dies (or freezes) at the worst moment, and another process continues from what it left. The
// ledger of the scripted studio would show double renders and double charges.

const leaseMs = 1_000;
const secretKey = Buffer.alloc(32, 9);

let db: TestDatabase;
let database: Database;
let scripted: ScriptedStudio;
let studio: ScriptedRenders;
let accountId: string;
let key: string;
let running: Part[] = [];

before(async () => {
  db = await createTestDatabase('service');
  database = db.database;
  scripted = await startScriptedStudio();
});
after(async () => {
  await scripted[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.rows('delete from accounts');
  await database.rows('delete from budget_days');
  studio = scriptRenders(scripted);
  scripted.balance.lifetime_millicredits = 100_000;
  ({ accountId } = await connectAccount(database, secretKey, {
    studioId: scripted.studioId,
    studioAccountId: scripted.account.id,
    email: 'ada@example.org',
    refreshToken: scripted.newSession(),
  }));
  // The services may not reach this address; these tests only check that deliveries are written.
  await createWebhook(database, secretKey, {
    accountId,
    url: 'http://127.0.0.1:65535/',
    events: ['generation.succeeded'],
    egressAllow: ['127.0.0.0/8'],
  });
  ({ key } = await createKey(database, { accountId, name: 'test', rateLimitPerMinute: 1_000_000 }));
});
afterEach(async () => {
  await Promise.all(running.map((service) => service.kill()));
  running = [];
  await endSessionsOf(database, 'service');
});

async function start(doom: Omit<Doom, 'leaseMs'> = {}): Promise<Part> {
  const service = await startDoomedService({
    doom: { ...doom, leaseMs },
    databaseUrl: db.url,
    studioUrl: scripted.url,
    secretKey,
  });
  running.push(service);
  return service;
}

const create = (service: Part, idempotencyKey = 'k') =>
  askAt<Generation>(service.url, '/v1/images/generations', {
    key,
    body: { prompt: 'a lighthouse' },
    headers: { 'idempotency-key': idempotencyKey },
  });
/** Returns the answer, or `undefined` when the connection broke before it came. */
const cutOff = (asked: Promise<Answer<Generation>>) => asked.catch(() => undefined);
const get = async (service: Part, id: string, wait = 0) =>
  (await askAt<Generation>(service.url, `/v1/generations/${id}?wait=${wait}`, { key })).body;

/** Finishes the one generation and checks that everything happened exactly once. */
async function assertOneOfEach(service: Part, id: string): Promise<void> {
  await until('the submit', () => studio.renders.has(id));
  await until('its start', async () => (await get(service, id)).status === 'running');
  studio.finish(id);
  const done = await get(service, id, 20);
  assert.equal(done.status, 'succeeded');
  await assertBooks(id);
}

async function assertBooks(id: string): Promise<void> {
  assert.deepEqual(studio.ledger, [{ token: id, millicredits: -4_000 }]);
  const [state] = await database.rows(
    `select (select count(*)::int from generations) as generations, (select count(*)::int from events) as events,
            (select count(*)::int from deliveries) as deliveries,
            (select sum(committed_millicredits)::int from budget_days) as committed,
            uncharged_millicredits as uncharged, queued_image as queued
       from accounts where id = $1`,
    [accountId],
  );
  assert.deepEqual(state, {
    generations: 1,
    events: 1,
    deliveries: 1,
    committed: 4_000,
    uncharged: 0,
    queued: 0,
  });
}

test(
  'killed before the accept: nothing is there, and the retry makes the one',
  { skip: unlessSoaking },
  async () => {
    const doomed = await start({ point: 'create-quoted' });
    assert.equal(await cutOff(create(doomed)), undefined);
    await doomed.ended;
    assert.deepEqual(await database.rows('select id from generations'), []);
    assert.deepEqual(await database.rows('select key_id from budget_days'), []);
    const heir = await start();
    const answer = await create(heir);
    assert.equal(answer.status, 202);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    await assertOneOfEach(heir, answer.body.id);
  },
);

test('cut off inside the accept, by an error or the end of its session: all or nothing', async () => {
  const service = await start();
  for (const blow of [
    `raise 'a test'`,
    'perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1)',
  ]) {
    await database.rows(
      `create function blow() returns trigger language plpgsql as $$ begin ${blow}; return new; end $$`,
    );
    await database.rows(
      'create trigger blow before insert on generation_requests for each row execute function blow()',
    );
    const answer = await create(service);
    assert.equal(answer.status, 500, answer.text);
    await database.rows('drop function blow cascade');
    assert.deepEqual(await database.rows('select id from generations'), []);
    assert.deepEqual(await database.rows('select key_id from budget_days'), []);
  }
  const answer = await create(service);
  assert.equal(answer.status, 202, answer.text);
  await assertOneOfEach(service, answer.body.id);
});

test('killed after the commit and before the 202: the retry is a replay, and the job runs once', async () => {
  const doomed = await start({ point: 'create-accepted' });
  assert.equal(await cutOff(create(doomed)), undefined);
  await doomed.ended;
  const [row] = await database.rows<{ id: string }>('select id from generations');
  const heir = await start();
  const answer = await create(heir);
  assert.equal(answer.status, 202);
  assert.equal(answer.headers.get('idempotent-replayed'), 'true');
  assert.equal(answer.body.id, row?.id);
  await assertOneOfEach(heir, answer.body.id);
});

for (const point of ['submit-claimed', 'submit-sent', 'submit-answered'])
  test(
    `killed at ${point}: another takes the lease over, and there is one render and one charge`,
    {
      skip: point !== 'submit-sent' && unlessSoaking,
    },
    async () => {
      const doomed = await start({ point });
      const answer = await cutOff(create(doomed));
      await doomed.ended;
      const heir = await start();
      const id = answer?.body.id ?? (await create(heir)).body.id;
      await assertOneOfEach(heir, id);
    },
  );

test('frozen past its lease and thawed, a process changes nothing of what another did meanwhile', async () => {
  const zombie = await start({ point: 'submit-claimed', fate: 'waits' });
  const frozen = once(zombie.process, 'message');
  const { id } = (await create(zombie)).body;
  await frozen;
  await zombie.kill('SIGSTOP');
  const heir = await start();
  await until('the submit', () => studio.renders.has(id));
  await until('its start', async () => (await get(heir, id)).status === 'running');
  const before_ = await database.rows('select * from generations');
  await zombie.kill('SIGCONT');
  await until('the second submit', () => studio.submits.filter((token) => token === id).length === 2);
  await sleep(300);
  assert.deepEqual(await database.rows('select * from generations'), before_);
  studio.finish(id);
  assert.equal((await get(heir, id, 20)).status, 'succeeded');
  await assertBooks(id);
});

for (const point of ['settle-composed', 'settle-committed'])
  test(
    `killed at ${point}: one event, and a poll at another process wakes`,
    {
      skip: point !== 'settle-committed' && unlessSoaking,
    },
    async () => {
      const doomed = await start({ point });
      const { id } = (await create(doomed)).body;
      // The feed reports first that the submit was accepted. Unless the submit was recorded before, the process already
      // dies at this report.
      const heir = await start();
      const waiting = get(heir, id, 20);
      await until('the submit', () => studio.renders.has(id));
      studio.finish(id);
      await doomed.ended;
      assert.equal((await waiting).status, 'succeeded');
      await assertBooks(id);
    },
  );

test(
  'killed around a cancel: canceled and never seen by the studio, or still queued and run',
  { skip: unlessSoaking },
  async () => {
    const lane = { limit: 0, running: 0, running_elsewhere: 0 };
    studio.limits = { overall: lane, image: lane, edit: lane, video: lane };
    for (const [point, status] of [
      ['cancel-asked', 'queued'],
      ['cancel-committed', 'canceled'],
    ] as const) {
      const doomed = await start({ point });
      const { id } = (await create(doomed, point)).body;
      const cancel = askAt(doomed.url, `/v1/generations/${id}/cancel`, { key, method: 'POST' });
      await assert.rejects(cancel);
      await doomed.ended;
      const [row] = await database.rows<{ status: string }>('select status from generations where id = $1', [
        id,
      ]);
      assert.equal(row?.status, status);
    }
    const open = { limit: 2, running: 0, running_elsewhere: 0 };
    studio.limits = { overall: open, image: open, edit: open, video: open };
    await database.rows('update accounts set limits_read_at = null');
    await start();
    await until('one submit', () => studio.renders.size === 1);
    const [queued] = await database.rows<{ id: string }>(
      `select id from generations where status <> 'canceled'`,
    );
    await sleep(300);
    assert.deepEqual([...studio.renders.keys()], [queued?.id]);
  },
);
