import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { startReceiver } from '../../../test/receiver.ts';
import { seedEndpoints, seedEvents, startDeliverer } from './testing/seed.ts';

test('a deep backlog that takes long to deliver does not make its loop look stuck', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  await using receiver = await startReceiver();
  const accounts = 20;
  const endpointsEach = 10;
  const eventsEach = 5;
  for (let i = 0; i < accounts; i++) {
    const urls = Array.from({ length: endpointsEach }, (_, n) => `${receiver.url}/${n}`);
    const { accountId } = await seedEndpoints(database, urls);
    await seedEvents(database, accountId, eventsEach);
  }
  // Every claim writes leases, so each takes at least 0.4 s; and each finds more than it may take.
  await database.rows(
    `create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(0.4); return null; end $$`,
  );
  await database.rows(
    'create trigger slow before update on delivery_queue for each statement execute function dawdle()',
  );
  const stuck: string[] = [];
  await using _deliverer = startDeliverer(database, {
    maxConcurrentAttempts: 4_096,
    stuckAfterMs: 1_500,
    // Only claims and the ends of attempts may wake the deliverer again.
    pollMs: 60_000,
    onStuck: (name) => stuck.push(name),
  });
  await receiver.until(accounts * endpointsEach * eventsEach);
  assert.deepEqual(stuck, []);
});
