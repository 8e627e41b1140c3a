import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { operator } from '../../identity/audit/actor.ts';
import { pingWebhook } from '../endpoints/ping-webhook.ts';
import { composeEvent } from '../events/compose-event.ts';
import { writeEvent } from '../events/queries.ts';
import { attemptDelaySeconds } from '../retry-schedule.ts';
import { type AttemptOutcome, type Claim, claimDeliveries, recordAttempts } from './store.ts';
import { seedEndpoints, seedEvents } from './testing/seed.ts';

const leaseMs = 12_500;
const url = 'https://203.0.114.1/hook';
const fine: AttemptOutcome = { durationMs: 5, status: 200, failure: null, answer: '' };
const broken: AttemptOutcome = { durationMs: 10_000, status: null, failure: 'timeout', answer: null };

let db: TestDatabase;
let database: Database;
before(async () => {
  db = await createTestDatabase('service');
  database = db.database;
});
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await database.rows('delete from accounts');
  await database.rows('delete from delivery_attempts');
  await moveClock(database, 0);
});

const claim = (options: Partial<Parameters<typeof claimDeliveries>[1]> = {}) =>
  claimDeliveries(database, {
    owner: 'svc_a',
    leaseMs,
    slots: 100,
    failingSlots: 50,
    several: true,
    ...options,
  });
const record = (claims: Claim[], outcome: AttemptOutcome) =>
  recordAttempts(
    database,
    claims.map((one) => ({ claim: one, outcome })),
    { delaySeconds: attemptDelaySeconds, wait: false },
  );
const perEndpoint = (claims: Claim[]) => {
  const counts = new Map<string, number>();
  for (const { endpointId } of claims) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
  return counts;
};
const setState = (ids: string[], state: 'healthy' | 'failing') =>
  database.rows(
    `update endpoint_turns set state = $2, failing_since = case when $2 = 'failing' then clock() end
      where endpoint_id = any ($1)`,
    [ids, state],
  );

test('an endpoint gets one attempt until one succeeds, then four at once, and one again after a failure', async () => {
  const { accountId } = await seedEndpoints(database, [url]);
  await seedEvents(database, accountId, 20);
  const first = await claim();
  assert.equal(first.length, 1);
  assert.equal((await claim()).length, 0);
  await record(first, fine);
  const four = await claim();
  assert.equal(four.length, 4);
  assert.equal((await claim()).length, 0);
  await record(four.slice(0, 1), fine);
  assert.equal((await claim()).length, 1, 'an attempt that ends frees its slot');
  await record(four.slice(1, 2), broken);
  assert.equal((await claim()).length, 0, 'three are under way and it fails');
});

test('a failed ping marks nothing as failing, though its endpoint is served as one that fails', async () => {
  const { accountId, endpoints } = await seedEndpoints(database, [url]);
  const { id } = endpoints[0] ?? assert.fail();
  const state = async () => {
    const [row] = await database.rows<{ state: string; failing_since: Date | null }>(
      'select state, failing_since from endpoint_turns',
    );
    return [row?.state, row?.failing_since?.toISOString() ?? null];
  };
  let at = 0;
  /** Sends one, an hour after the last, and returns the endpoint as it is listed. */
  const after_ = async (kind: 'event' | 'ping', outcome: AttemptOutcome) => {
    await moveClock(database, (at += 3_600));
    await database.rows('delete from delivery_queue');
    if (kind === 'event') await seedEvents(database, accountId, 1);
    else await pingWebhook(database, id, operator);
    assert.equal((await record(await claim(), outcome)).size, 1);
    return state();
  };
  assert.deepEqual(await after_('ping', broken), ['failing', null]);
  assert.deepEqual(await after_('event', fine), ['healthy', null]);
  assert.deepEqual(await after_('ping', broken), ['failing', null]);
  const [, since] = await after_('event', broken);
  assert.notEqual(since, null);
  assert.deepEqual(await after_('ping', broken), ['failing', since], 'since the event, and no later');
  assert.deepEqual(await after_('event', broken), ['failing', since]);
  assert.deepEqual(await after_('ping', fine), ['healthy', null], 'the receiver answers again');
});

test('of results that are recorded together the order decides since when an endpoint is failing', async () => {
  const { accountId, endpoints } = await seedEndpoints(database, [url]);
  const { id } = endpoints[0] ?? assert.fail();
  await setState([id], 'healthy');
  await seedEvents(database, accountId, 2);
  for (let i = 0; i < 2; i++) await pingWebhook(database, id, operator);
  const claims = await claim();
  const events = claims.filter(({ eventType }) => eventType !== 'ping');
  const pings = claims.filter(({ eventType }) => eventType === 'ping');
  assert.deepEqual([events.length, pings.length], [2, 2]);
  const [event, later] = events as [Claim, Claim];
  const [ping, last] = pings as [Claim, Claim];
  const failing = async (...results: [Claim, AttemptOutcome][]) => {
    await recordAttempts(
      database,
      results.map(([one, outcome]) => ({ claim: one, outcome })),
      { delaySeconds: attemptDelaySeconds, wait: false },
    );
    const [row] = await database.rows<{ failing: boolean }>(
      'select failing_since is not null as failing from endpoint_turns',
    );
    return row?.failing;
  };
  assert.equal(await failing([event, broken], [ping, broken]), true, 'an event failed');
  assert.equal(await failing([later, fine], [last, broken]), false, 'a success came after it');
});

test('each claim has the bytes of its event, which all endpoints of the event share', async () => {
  const { accountId, endpoints } = await seedEndpoints(database, [url, `${url}?a="b"&c=\\d`]);
  await setState(
    endpoints.map(({ id }) => id),
    'healthy',
  );
  const bodies = new Map<string, string>();
  for (const text of ['plain', '"quoted" \\ back\nslash', 'Grüße, 画 \u2028 \ud83c\udfa8']) {
    const at = new Date().toISOString();
    const subjectId = `gen_${bodies.size}`;
    const event = composeEvent('generation.succeeded', JSON.stringify({ id: subjectId, text }), at);
    await writeEvent(database, event, { accountId, subjectId, at });
    bodies.set(event.id, event.body);
  }
  const rows = await database.rows<{ id: string; event_id: string; url: string }>(
    'select d.id, d.event_id, e.url from deliveries d join webhook_endpoints e on e.id = d.endpoint_id',
  );
  const claims = await claim();
  assert.equal(claims.length, 6);
  for (const { deliveryId, body, url: target } of claims) {
    const row = rows.find(({ id }) => id === deliveryId) ?? assert.fail();
    assert.deepEqual([body.toString(), target], [bodies.get(row.event_id), row.url]);
  }
  assert.equal(new Set(claims.map(({ body }) => body)).size, 3);
});

test('an endpoint gets its oldest first', async () => {
  const { accountId, endpoints } = await seedEndpoints(database, [url]);
  await setState([endpoints[0]?.id ?? ''], 'healthy');
  await seedEvents(database, accountId, 10);
  const rows = await database.rows<{ id: string }>(
    'select delivery_id as id from delivery_queue order by claim_at, delivery_id',
  );
  const claimed = (await claim()).map(({ deliveryId }) => deliveryId).sort();
  assert.deepEqual(
    claimed,
    rows
      .slice(0, 4)
      .map(({ id }) => id)
      .sort(),
  );
});

test('endpoints that fail take the slots left to them and no more, those that answer take the rest', async () => {
  const dead = await seedEndpoints(database, Array<string>(9).fill(url));
  const alive = await seedEndpoints(database, [url]);
  await seedEvents(database, dead.accountId, 300);
  await seedEvents(database, alive.accountId, 50);
  await setState(
    dead.endpoints.map(({ id }) => id),
    'failing',
  );
  await setState(
    alive.endpoints.map(({ id }) => id),
    'healthy',
  );
  const claims = await claim({ failingSlots: 5 });
  const counts = perEndpoint(claims);
  assert.equal(counts.get(alive.endpoints[0]?.id ?? ''), 4);
  assert.equal(claims.filter(({ failing }) => failing).length, 5);
  // The endpoints that were not served come next.
  const rest = await claim({ failingSlots: 5 });
  assert.equal(rest.length, 4);
  for (const { endpointId } of rest) assert.ok(!counts.has(endpointId));
  assert.equal((await claim({ failingSlots: 5 })).length, 0);
});

test('slots go round among accounts: ten endpoints of one do not outweigh one of another', async () => {
  const many = await seedEndpoints(database, Array<string>(10).fill(url));
  const one = await seedEndpoints(database, [url]);
  const other = await seedEndpoints(database, [url]);
  for (const { accountId, endpoints } of [many, one, other]) {
    await seedEvents(database, accountId, 20);
    await setState(
      endpoints.map(({ id }) => id),
      'healthy',
    );
  }
  const counts = perEndpoint(await claim({ slots: 3 }));
  assert.equal(counts.get(one.endpoints[0]?.id ?? ''), 1);
  assert.equal(counts.get(other.endpoints[0]?.id ?? ''), 1);
});

test('when half of the slots are in use nobody gets a second one', async () => {
  const { accountId, endpoints } = await seedEndpoints(database, [url, url]);
  await setState(
    endpoints.map(({ id }) => id),
    'healthy',
  );
  await seedEvents(database, accountId, 10);
  assert.deepEqual([...perEndpoint(await claim({ several: false })).values()], [1, 1]);
});

test('what a dead process left is claimed again under its number, and its late result counts for nothing', async () => {
  const { accountId } = await seedEndpoints(database, [url]);
  await seedEvents(database, accountId, 1);
  const [lost] = await claim({ owner: 'svc_dead' });
  assert.ok(lost);
  await moveClock(database, 12);
  assert.equal((await claim()).length, 0);
  await moveClock(database, 13);
  const [again] = await claim();
  assert.ok(again);
  assert.deepEqual([again.deliveryId, again.number, again.try], [lost.deliveryId, 1, 2]);
  assert.equal((await record([lost], fine)).size, 0);
  assert.equal((await record([again], broken)).get(lost.deliveryId), 'pending');
  assert.equal((await record([again], fine)).size, 0, 'a second result neither');
  const attempts = await database.rows('select try, number, failure from delivery_attempts order by try');
  assert.deepEqual(attempts, [
    { try: 1, number: 1, failure: 'interrupted' },
    { try: 2, number: 1, failure: 'timeout' },
  ]);
});

test('a claim that is late and still held is recorded', async () => {
  const { accountId } = await seedEndpoints(database, [url]);
  await seedEvents(database, accountId, 1);
  const claims = await claim();
  await moveClock(database, 60);
  assert.equal((await record(claims, fine)).size, 1);
});

test('recording waits for no endpoint but one alone: others may hold several in any order', async () => {
  const some = await seedEndpoints(database, [url]);
  const others = await seedEndpoints(database, [url]);
  for (const { accountId } of [some, others]) await seedEvents(database, accountId, 1);
  const claims = await claim();
  assert.equal(claims.length, 2);
  const [held, free] = [some, others].map(({ endpoints }) =>
    claims.find(({ endpointId }) => endpointId === endpoints[0]?.id),
  );
  assert.ok(held && free);
  const delaySeconds = attemptDelaySeconds;
  const waiting = await database.transaction(async (transaction) => {
    // Locks the endpoint like an uncommitted transaction that has written an event for it.
    await transaction.execute('select from endpoint_turns where endpoint_id = $1 for no key update', [
      held.endpointId,
    ]);
    const statuses = await record(claims, fine);
    assert.deepEqual([statuses.get(held.deliveryId), statuses.get(free.deliveryId)], ['busy', 'delivered']);
    return {
      later: recordAttempts(database, [{ claim: held, outcome: fine }], { delaySeconds, wait: true }),
    };
  });
  assert.equal((await waiting.later).get(held.deliveryId), 'delivered');
});

test('many claim and record at once: nothing twice, never more than four, nothing left, no deadlock', async () => {
  const accounts: Awaited<ReturnType<typeof seedEndpoints>>[] = [];
  for (let i = 0; i < 4; i++) accounts.push(await seedEndpoints(database, [url, url, url]));
  const seen = new Map<string, number>();
  const underWay = new Map<string, number>();
  let writing = true;
  let most = 0;
  const work = async (owner: string) => {
    for (let empty = 0; empty < 3;) {
      const claims = await claim({ owner, slots: 7 });
      empty = claims.length === 0 && !writing ? empty + 1 : 0;
      for (const { deliveryId, endpointId } of claims) {
        seen.set(deliveryId, (seen.get(deliveryId) ?? 0) + 1);
        underWay.set(endpointId, (underWay.get(endpointId) ?? 0) + 1);
        most = Math.max(most, underWay.get(endpointId) ?? 0);
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      for (const { endpointId } of claims) underWay.set(endpointId, (underWay.get(endpointId) ?? 0) - 1);
      for (const one of await recorded(claims))
        await recordAttempts(database, [{ claim: one, outcome: fine }], {
          delaySeconds: attemptDelaySeconds,
          wait: true,
        });
    }
  };
  // Returns the claims that were not recorded because their endpoints were locked.
  const recorded = async (claims: Claim[]) => {
    const statuses = claims.length > 0 ? await record(claims, fine) : new Map();
    return claims.filter(({ deliveryId }) => statuses.get(deliveryId) === 'busy');
  };
  const write = async () => {
    for (let i = 0; i < 25; i++)
      await Promise.all(accounts.map(({ accountId }) => seedEvents(database, accountId, 4)));
    writing = false;
  };
  await Promise.all([write(), ...['svc_a', 'svc_b', 'svc_c', 'svc_d'].map(work)]);
  assert.equal(seen.size, 4 * 100 * 3);
  assert.ok([...seen.values()].every((count) => count === 1));
  assert.ok(most <= 4, `${most} at once`);
  assert.deepEqual(await database.rows('select delivery_id from delivery_queue'), []);
  assert.deepEqual(await database.rows(`select id from deliveries where status <> 'delivered'`), []);
  assert.deepEqual(
    await database.rows('select endpoint_id from endpoint_turns where next_due is not null'),
    [],
  );
});

// PostgreSQL plans once per connection and keeps the plans: no plan may depend on the contents of the tables at that
// time.
const seenByPlanner: Record<string, (single: Database, accountId: string) => Promise<void>> = {
  nothing: () => Promise.resolve(),
  'empty tables': async (single) => {
    await single.rows('analyze');
  },
  'a few rows': async (single, accountId) => {
    await seedEvents(single, accountId, 3);
    await single.rows('analyze');
  },
  'a long queue that is gone': async (single) => {
    const gone = await seedEndpoints(single, [url, url, url]);
    await seedEvents(single, gone.accountId, 1_000);
    await single.rows('analyze');
    await single.rows('delete from accounts where id = $1', [gone.accountId]);
  },
};
for (const [seen, prepare] of Object.entries(seenByPlanner))
  test(`a long queue costs no look of its own, whosever it is, planned having seen ${seen}`, async () => {
    await using single = openDatabase({ url: db.url, poolSize: 1, applicationName: 'test' });
    // Autovacuum could analyze the tables during the test: it reads them, and then the planner reads the ends of their
    // indexes.
    for (const table of ['delivery_queue', 'deliveries', 'events', 'delivery_attempts'])
      await single.rows(`alter table ${table} set (autovacuum_enabled = false)`);
    const dead = await seedEndpoints(single, [url, url, url]);
    const alive = await seedEndpoints(single, [url]);
    await prepare(single, alive.accountId);
    const round = async () => {
      const claims = await claimDeliveries(single, {
        owner: 'svc_a',
        leaseMs,
        slots: 100,
        failingSlots: 50,
        several: true,
      });
      const results = claims.map((one) => ({
        claim: one,
        outcome: one.endpointId === alive.endpoints[0]?.id ? fine : broken,
      }));
      await recordAttempts(single, results, { delaySeconds: attemptDelaySeconds, wait: false });
      return claims.length;
    };
    for (let i = 0; i < 8; i++) {
      await seedEvents(single, alive.accountId, 1);
      await round();
    }
    for (let i = 0; i < 30; i++) await seedEvents(single, dead.accountId, 100);
    await seedEvents(single, alive.accountId, 10);
    const earlier = await rowsRead(single);
    for (let i = 0; i < 4; i++) assert.ok((await round()) > 0);
    const later = await rowsRead(single);
    assert.equal(later.scanned - earlier.scanned, 0);
    // Four looks at a queue of 9,000. Some of the entries read are dead until the next vacuum; more while other tests
    // hold snapshots.
    assert.ok(
      later.entries - earlier.entries < 3_000,
      `${later.entries - earlier.entries} entries were read`,
    );
  });

async function rowsRead(single: Database): Promise<{ scanned: number; entries: number }> {
  await single.rows('select pg_stat_force_next_flush()');
  const [row] = await single.rows<{ scanned: number; entries: number }>(
    `select (select sum(seq_tup_read)::int from pg_stat_user_tables
              where relname in ('delivery_queue', 'deliveries', 'events', 'delivery_attempts')) as scanned,
            (select sum(idx_tup_read)::int from pg_stat_user_indexes where relname = 'delivery_queue') as entries`,
  );
  if (row === undefined) throw new Error('there are no statistics');
  return row;
}
