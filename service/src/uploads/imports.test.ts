import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Egress } from '@renderkit/egress/guarded-fetch.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startImports } from './imports.ts';

/** Creates an account whose generations wait for `imports` files. */
async function seedAccount(database: Database, imports: number): Promise<string> {
  const account = newId('acc_');
  await database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $1)', [
    account,
    'std',
  ]);
  await database.rows(`insert into connections (account_id, status) values ($1, 'live')`, [account]);
  // All in one transaction, like an accept: an upload that no generation waits for is given up.
  await database.transaction(async (transaction) => {
    for (let i = 0; i < imports; i++) {
      const [upload, generation] = [newId('upl_'), newId('gen_')];
      await transaction.execute(
        `insert into uploads (id, account_id, status, hidden, source_url) values ($1, $2, 'coming', true, $3)`,
        [upload, account, `https://files.example/${account}`],
      );
      await transaction.execute(
        `insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                                budget_day)
       values ($1, $2, 'key', 'image', 'image', 'queued', 'm', 0, 1, current_date)`,
        [generation, account],
      );
      await transaction.execute('insert into generation_uploads (generation_id, upload_id) values ($1, $2)', [
        generation,
        upload,
      ]);
    }
  });
  return account;
}

test('file servers that never answer hold up no other account', async () => {
  await using db = await createTestDatabase('service');
  const asked: string[] = [];
  const egress: Pick<Egress, 'request'> = {
    request: ({ url, signal }) =>
      new Promise((_resolve, reject) => {
        asked.push(new URL(url).pathname.slice(1));
        const abort = () => reject(new Error('aborted'));
        // An import that is claimed while the module stops gets a signal that is already aborted.
        if (signal?.aborted === true) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      }),
  };
  const crowd = [];
  for (let i = 0; i < 10; i++) crowd.push(await seedAccount(db.database, 4));
  await using imports = startImports({
    database: db.database,
    studioClient: { storeUpload: () => Promise.reject(new Error('no file ever comes')) },
    egress: egress as Egress,
    leases: {
      owner: 'me',
      leaseMs: 60_000,
      hold: () => ({ [Symbol.dispose]: () => undefined }),
      [Symbol.asyncDispose]: async () => undefined,
    },
    settle: async () => undefined,
    onProcessing: () => undefined,
    log: createLogger({ part: 'test', level: 'silent' }),
    reconcileMs: 20,
  });
  const untilAsked = async (count: number) => {
    await until(`request ${count}`, () => asked.length >= count);
    // Long enough for rounds that would ask for more.
    await sleep(150);
    assert.equal(asked.length, count);
  };
  await untilAsked(32);
  assert.deepEqual(new Set(asked), new Set(crowd), 'each has one, and some of them more');
  const others = [];
  for (let i = 0; i < 20; i++) others.push(await seedAccount(db.database, 2));
  imports.wake();
  await untilAsked(52);
  assert.deepEqual(new Set(asked.slice(32)), new Set(others), 'one each');
});
