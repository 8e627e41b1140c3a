import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, moveClock } from '@renderkit/server-kit/testing/database.ts';
import { seedAccount, seedQueue } from '../generations/testing/seed.ts';
import { operator } from '../identity/audit/actor.ts';
import { openSession } from '../identity/sessions/open-session.ts';
import { claimDeliveries, recordAttempts } from '../webhooks/deliveries/store.ts';
import { seedEndpoints, seedEvent, seedEvents } from '../webhooks/deliveries/testing/seed.ts';
import { deleteWebhook } from '../webhooks/endpoints/delete-webhook.ts';
import { keptFor } from './cleaner.ts';
import { fillPromptWords, removeOutdated, type RetainedTable } from './store.ts';

test('attempts are kept for 30 days, deliveries, events and deleted endpoints for 90, in batches', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  const { accountId, endpoints } = await seedEndpoints(database, ['https://8.8.8.8/a', 'https://8.8.8.8/b']);
  await seedEvents(database, accountId, 5);
  const slots = { owner: 'svc_a', leaseMs: 1_000, slots: 9, failingSlots: 9, several: true };
  const claims = await claimDeliveries(database, slots);
  const outcome = { durationMs: 5, status: null, failure: 'timeout', answer: null } as const;
  const results = claims.map((claim) => ({ claim, outcome }));
  assert.equal((await recordAttempts(database, results, { delaySeconds: [0, 60], wait: false })).size, 2);
  await deleteWebhook(database, endpoints[1]?.id ?? '', operator);
  const counts = async () => {
    const [row] = await database.rows(
      `select (select count(*) from delivery_attempts) as attempts, (select count(*) from deliveries) as deliveries,
              (select count(*) from delivery_queue) as queued, (select count(*) from events) as events,
              (select count(*) from webhook_endpoints) as endpoints`,
    );
    return row;
  };
  const clean = async (batch = 1_000) => {
    for (const [table, age] of Object.entries(keptFor) as [RetainedTable, string][])
      while ((await removeOutdated(database, table, { age, atMost: batch })) === batch);
  };
  const days = (count: number) => moveClock(database, count * 86_400);

  const all = { attempts: 2, deliveries: 10, queued: 5, events: 5, endpoints: 2 };
  await days(29.9);
  await clean();
  assert.deepEqual(await counts(), all);
  await days(30.1);
  await clean(1);
  assert.deepEqual(await counts(), { ...all, attempts: 0 });
  await seedEvent(database, accountId);
  await days(90.1);
  await clean(2);
  assert.deepEqual(await counts(), { attempts: 0, deliveries: 1, queued: 1, events: 1, endpoints: 1 });
});

test('sessions are kept until they end, by the week without use or by the month', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  await database.rows(`insert into accounts (id, studio_id, studio_account_id) values ('acc_1', 's', 'a')`);
  const person = {
    accountId: 'acc_1',
    email: null,
    userAgent: 'x',
    address: undefined,
    previousToken: undefined,
  };
  const open = () => database.transaction((transaction) => openSession(transaction, person));
  const [used, unused] = [await open(), await open()];
  const left = async () => {
    while ((await removeOutdated(database, 'sessions', { age: keptFor.sessions, atMost: 1 })) === 1);
    const rows = await database.rows<{ id: string }>('select id from sessions order by id');
    return rows.map(({ id }) => id);
  };
  await moveClock(database, 6.9 * 86_400);
  assert.deepEqual(await left(), [used.sessionId, unused.sessionId].sort());
  await database.rows('update sessions set last_seen_at = clock() where id = $1', [used.sessionId]);
  await moveClock(database, 7.1 * 86_400);
  assert.deepEqual(await left(), [used.sessionId]);
  await moveClock(database, 30.1 * 86_400);
  assert.deepEqual(await left(), []);
});

test('what an earlier release accepted is given the words by which it is found, in batches', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  const account = await seedAccount(database);
  await seedQueue(database, account, 5);
  await database.rows('update generation_requests set words = null');
  const found = () =>
    database.rows(
      `select generation_id from generation_requests where words @@ search_words($1, 'lighthouse')`,
      [account.accountId],
    );
  assert.equal((await found()).length, 0);
  assert.deepEqual([await fillPromptWords(database, 3), await fillPromptWords(database, 3)], [3, 2]);
  assert.equal(await fillPromptWords(database, 3), 0);
  assert.equal((await found()).length, 5);
});
