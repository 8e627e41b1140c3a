import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { readTooOld } from '../settle/store.ts';
import { limitsOf, seedAccount, seedQueue } from '../testing/seed.ts';
import { claimGenerations } from './store.ts';

const endedRows = 30_000;
const othersWaiting = 3_000;

test('a claim reads what waits of its own account, however many wait of others, of whom the statistics know nothing', async () => {
  // One session, because the test reads the counts of its own transaction.
  await using db = await createTestDatabase('service', { poolSize: 1 });
  const { database } = db;
  const [account, other] = [
    await seedAccount(database, { limits: limitsOf(8) }),
    await seedAccount(database, { limits: limitsOf(8) }),
  ];
  await insertEnded(database, other);
  await database.rows('analyze generations');
  await database.rows(
    `update generations set status = 'queued', completed_at = null
      where id in (select id from generations where account_id = $1 limit $2)`,
    [other.accountId, othersWaiting],
  );
  const own = await seedQueue(database, account, 20);
  const claim = await tuplesRead(database, async () => {
    const asked = { accountIds: [account.accountId], owner: 'svc_one', leaseMs: 10_000 };
    const { claims } = await claimGenerations(database, { ...asked, skipLocked: false, atMost: 100 });
    assert.deepEqual(claims.map(({ id }) => id).sort(), own.slice(0, 8).sort());
  });
  assert.ok(claim < 200, `${claim} read`);
  const tooOld = await tuplesRead(database, async () => {
    assert.equal((await readTooOld(database, { ageMs: 1_000, atMost: 5 })).length, 5);
  });
  assert.ok(tooOld < 20, `${tooOld} read`);
});

/** Returns how many rows of `generations` the work fetches, with or without an index. */
async function tuplesRead(database: Database, work: () => Promise<void>): Promise<number> {
  // The counts of earlier transactions are included until the session has flushed them.
  const readSoFar = async () => {
    const [row] = await database.rows<{ read: number }>(
      `select (idx_tup_fetch + seq_tup_read)::integer as read from pg_stat_xact_user_tables where relname = 'generations'`,
    );
    return row?.read ?? Number.NaN;
  };
  await database.rows('begin');
  const before = await readSoFar();
  await work();
  const after = await readSoFar();
  await database.rows('rollback');
  return after - before;
}

/** Inserts ended generations of three months, one after another. */
async function insertEnded(
  database: Database,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  await database.rows(
    `insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                              created_at, completed_at, budget_day)
     select 'gen_' || lpad(n::text, 26, '0'), $1, $2, 'image', 'image', 'succeeded', 'atelier-1', 4000, 1,
            clock() - interval '90 days' + n * interval '4 minutes', clock() - interval '90 days' + n * interval '4 minutes', current_date
       from generate_series(1, $3::int) n`,
    [accountId, keyId, endedRows],
  );
}
