import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { exampleUpload } from '../../test/scripted-uploads.ts';
import { connect, startUpstream } from '../../test/upstream-fixture.ts';
import { askAboutStale, removeOrphans } from './reconcile.ts';
import { insertReceiving, recordStored } from './store.ts';

/** How many calls a round makes at once. */
const callsAtOnce = 8;

// If a round waited for the studio's answers, the test would exceed its time limit.
test(
  'a round over uploads ends though the studio hangs, however many accounts wait',
  { timeout: 80_000 },
  async () => {
    await using db = await createTestDatabase('service');
    const { database } = db;
    await using upstream = await startUpstream(database, { timeoutMs: 30_000 });
    const { client: studioClient, studio } = upstream;
    for (let i = 0; i < 20; i++) {
      studio.account.id = `acc_${i}`;
      const { accountId } = await connect(database, studio);
      await studioClient.call('getBalance', { accountId });
      const [left, stored] = [newId('upl_'), newId('upl_')];
      for (const id of [left, stored])
        await insertReceiving(database, {
          id,
          accountId,
          owner: 'dead',
          leaseMs: 0,
          hidden: false,
          projectId: undefined,
        });
      const upload = exampleUpload(stored);
      await recordStored(database, { owner: 'dead', upload, from: 'receiving', askAfterMs: 0 });
    }
    const operations = ['lookUpUploads', 'deleteUpload'] as const;
    for (const operation of operations) studio.script(operation, () => undefined);
    const options = {
      database,
      studioClient,
      settle: async () => assert.fail('the studio said nothing'),
      leases: {
        owner: 'reconciliation',
        leaseMs: 10_000,
        hold: () => ({ [Symbol.dispose]: () => {} }),
        [Symbol.asyncDispose]: async () => {},
      },
      log: createLogger({ part: 'test', level: 'silent' }),
      roundMs: 1_000,
    };
    let atOnce: number[];
    // On a busy machine a round may end before it has asked about all uploads; the rest is due again.
    do {
      await database.rows(`update uploads set due_at = clock() where status = 'processing'`);
      await database.rows(`update uploads set lease_until = clock() where status = 'receiving'`);
      const before = studio.seen.length;
      await Promise.all([askAboutStale(options), removeOrphans(options)]);
      const asked = studio.seen.slice(before);
      atOnce = operations.map((name) => asked.filter(({ operation }) => operation === name).length);
    } while (atOnce.some((calls) => calls < callsAtOnce));
  },
);
