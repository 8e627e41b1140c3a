import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { connect, startUpstream } from '../../../test/upstream-fixture.ts';
import { Settlement } from '../settle/settlement.ts';
import { seedKey, seedQueue } from '../testing/seed.ts';
import { createAskRenders } from './ask-renders.ts';
import { startReconciling } from './reconcile.ts';

test('a studio that hangs makes no sweep of generations look stuck, however many accounts wait', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  await using upstream = await startUpstream(database, { timeoutMs: 500 });
  const { client: studioClient, studio } = upstream;
  const untouched: string[] = [];
  for (let i = 0; i < 40; i++) {
    studio.account.id = `acc_${i}`;
    const { accountId } = await connect(database, studio);
    await studioClient.call('getBalance', { accountId });
    const account = { accountId, keyId: await seedKey(database, accountId), studioAccountId: `acc_${i}` };
    const [running, old, fresh = ''] = await seedQueue(database, account, 3);
    await database.rows(
      `update generations set status = 'running', holds_slot = true, submitted_at = clock(),
                              heard_at = clock() - interval '2 minutes' where id = $1`,
      [running],
    );
    await database.rows(
      `update generations set created_at = clock() - interval '26 hours', submit_sent_at = clock() where id = $1`,
      [old],
    );
    await database.rows(`update generations set created_at = clock() - interval '25 hours' where id = $1`, [
      fresh,
    ]);
    untouched.push(fresh);
  }
  for (const operation of ['lookUpRenders', 'barRender'] as const) studio.script(operation, () => undefined);
  const settlement = new Settlement({
    database,
    owner: 'svc_test',
    leaseMs: 10_000,
    announcer: { announce: () => undefined },
  });
  const stuck: string[] = [];
  const sweeps = startReconciling({
    database,
    studioClient,
    settlement,
    askRenders: createAskRenders({ studioClient, settlement }),
    log: createLogger({ part: 'test', level: 'silent' }),
    roundMs: 800,
    stuckAfterMs: 1_800,
    onStuck: (name) => stuck.push(name),
  });
  await sleep(3_000);
  await sweeps[Symbol.asyncDispose]();
  assert.deepEqual(stuck, []);
  const asked = (operation: string) => studio.seen.filter((one) => one.operation === operation).length;
  assert.ok(asked('lookUpRenders') >= 8 && asked('barRender') >= 8, 'many were asked for at once');
  const failed = await database.rows<{ id: string }>(`select id from generations where status = 'failed'`);
  assert.deepEqual(
    failed.map(({ id }) => id).toSorted(),
    untouched.toSorted(),
    'what the studio never heard of does not wait for it',
  );
});
