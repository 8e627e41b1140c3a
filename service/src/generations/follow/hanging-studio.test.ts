import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { connect, startUpstream } from '../../../test/upstream-fixture.ts';
import { giveUpTooOld } from '../settle/give-up-queued.ts';
import { Settlement } from '../settle/settlement.ts';
import { seedKey, seedQueue } from '../testing/seed.ts';
import { createAskRenders } from './ask-renders.ts';
import { askAboutSilent } from './reconcile.ts';

/** How many calls a round makes at once. */
const callsAtOnce = 8;

// If a round waited for the studio's answers, the test would exceed its time limit.
test(
  'a round over generations ends though the studio hangs, however many accounts wait',
  { timeout: 80_000 },
  async () => {
    await using db = await createTestDatabase('service');
    const { database } = db;
    await using upstream = await startUpstream(database, { timeoutMs: 30_000 });
    const { client: studioClient, studio } = upstream;
    const untouched: string[] = [];
    for (let i = 0; i < 20; i++) {
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
    const operations = ['lookUpRenders', 'tombstoneRender'] as const;
    for (const operation of operations) studio.script(operation, () => undefined);
    const settlement = new Settlement({
      database,
      owner: 'svc_test',
      leaseMs: 10_000,
      announcer: { announce: () => undefined },
    });
    const options = {
      database,
      studioClient,
      settlement,
      askRenders: createAskRenders({ studioClient, settlement }),
      log: createLogger({ part: 'test', level: 'silent' }),
      roundMs: 1_000,
    };
    let failed: string[] = [];
    let atOnce: number[] = [];
    // On a busy machine a round may end before it has asked about all jobs; the next round continues.
    while (failed.length < untouched.length || atOnce.some((calls) => calls < callsAtOnce)) {
      await database.rows(
        `update generations set heard_at = clock() - interval '2 minutes' where status = 'running'`,
      );
      const before = studio.seen.length;
      await Promise.all([askAboutSilent(options), giveUpTooOld(options)]);
      const asked = studio.seen.slice(before);
      atOnce = operations.map((name) => asked.filter(({ operation }) => operation === name).length);
      const rows = await database.rows<{ id: string }>(`select id from generations where status = 'failed'`);
      failed = rows.map(({ id }) => id);
    }
    assert.deepEqual(
      failed.toSorted(),
      untouched.toSorted(),
      'what the studio never heard of does not wait for it, and nothing else is given up',
    );
  },
);
