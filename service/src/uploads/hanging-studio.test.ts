import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { exampleUpload } from '../../test/scripted-uploads.ts';
import { connect, startUpstream } from '../../test/upstream-fixture.ts';
import { startUploadReconciliation } from './reconcile.ts';
import { insertReceiving, recordStored } from './store.ts';

test('a studio that hangs makes no round over uploads look stuck, however many accounts wait', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  await using upstream = await startUpstream(database, { timeoutMs: 500 });
  const { client: studioClient, studio } = upstream;
  for (let i = 0; i < 40; i++) {
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
  for (const operation of ['lookUpUploads', 'deleteUpload'] as const)
    studio.script(operation, () => undefined);
  const stuck: string[] = [];
  const settle = async () => assert.fail('the studio said nothing');
  const reconciliation = startUploadReconciliation({
    database,
    studioClient,
    settle,
    leases: {
      owner: 'reconciliation',
      leaseMs: 10_000,
      hold: () => ({ [Symbol.dispose]: () => {} }),
      [Symbol.asyncDispose]: async () => {},
    },
    log: createLogger({ part: 'test', level: 'silent' }),
    roundMs: 800,
    stuckAfterMs: 1_800,
    onStuck: (name) => stuck.push(name),
  });
  await sleep(3_000);
  await reconciliation[Symbol.asyncDispose]();
  assert.deepEqual(stuck, []);
  const asked = (operation: string) => studio.seen.filter((one) => one.operation === operation).length;
  assert.ok(asked('lookUpUploads') >= 8 && asked('deleteUpload') >= 8, 'many were asked for at once');
});
