import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { readSpentToday } from '../budgets/queries.ts';
import { createReservedReader } from '../credits/store.ts';
import { readQueuedOfKeys } from './cancel/cancel-queued.ts';
import { readPrechecks } from './create/store.ts';
import { accountsToDispatch, claimGenerations, releaseGenerations, renewLeases } from './dispatch/store.ts';
import { ensureWatches, readInFlight, readOwnWatches, takeSilent, takeWatches } from './follow/store.ts';
import { listRows, showGeneration } from './reads/list-console-rows.ts';
import { createOutcomes } from './reads/outcomes.ts';
import { listGenerations, readAwaited, readGenerations, readSettledSince } from './reads/store.ts';
import { readUnconfirmed, readUnsettled, readTooOld } from './settle/store.ts';
import { transitionGenerations } from './settle/transition-store.ts';
import { limitsOf, seedAccount, type Seeded, seedQueue } from './testing/seed.ts';

// PostgreSQL plans once per connection, here on empty tables, where a scan looks cheapest.

let db: TestDatabase;
let database: Database;
let account: Seeded;
before(async () => {
  db = await createTestDatabase('service');
  database = openDatabase({ url: db.url, poolSize: 1, applicationName: 'test' });
  account = await seedAccount(database, { limits: limitsOf(8) });
});
after(async () => {
  await database[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

async function rowsScanned(): Promise<Record<string, number>> {
  await database.rows('select pg_stat_force_next_flush()');
  const rows = await database.rows<{ relname: string; seq_tup_read: number }>(
    `select relname, seq_tup_read from pg_stat_user_tables
      where relname in ('generations', 'generation_requests', 'events')`,
  );
  return Object.fromEntries(rows.map(({ relname, seq_tup_read: read }) => [relname, read]));
}

const owner = 'svc_test';
const everyone = { atMost: 100 };
const hotStatements: Record<string, () => Promise<unknown>> = {
  accept: () => seedQueue(database, account, 2),
  'accept with an Idempotency-Key': () =>
    seedQueue(database, account, 1, { idempotencyKey: `k${Math.random()}`, fingerprint: 'ab'.repeat(32) }),
  prechecks: () => readPrechecks(database, [{ ...account, idempotencyKey: 'k' }]),
  reserved: () => createReservedReader(database)({ accountId: account.accountId, ledgerSeq: 1 }),
  'claim, run and settle': async () => {
    const { claims } = await claimGenerations(database, {
      accountIds: [account.accountId],
      owner,
      leaseMs: 1_000,
      skipLocked: false,
      atMost: 1_000,
    });
    const moves = claims.map(({ id, accountId }) => ({ id, accountId }));
    await readUnsettled(database, moves);
    await renewLeases(database, { ids: claims.map(({ id }) => id), owner, leaseMs: 1_000 });
    await transitionGenerations(
      database,
      moves.map((move) => ({ ...move, from: 'queued', to: 'running', chargeLedgerSeq: 5 })),
    );
    await transitionGenerations(
      database,
      moves.map((move) => ({ ...move, from: 'running', to: 'failed' })),
      { watcher: owner, leaseMs: 1_000, cursors: [{ accountId: account.accountId, cursor: 3 }] },
    );
  },
  'claim and release': async () => {
    const { claims } = await claimGenerations(database, {
      accountIds: [account.accountId],
      owner,
      leaseMs: 1_000,
      skipLocked: true,
      atMost: 1_000,
    });
    await releaseGenerations(
      database,
      claims.map((claim) => ({ ...claim, unsent: true, atOnce: true })),
    );
  },
  reconcile: () => accountsToDispatch(database, { limitsMaxAgeMs: 1_000, atMost: 100 }),
  read: () => readGenerations(database, [{ id: 'gen_x', accountId: account.accountId }]),
  awaited: () => readAwaited(database, [{ id: 'gen_x', accountId: account.accountId, keyId: account.keyId }]),
  settled: () => readSettledSince(database, undefined),
  unconfirmed: () => readUnconfirmed(database, account.accountId),
  'in flight': () => readInFlight(database, account.accountId),
  silent: () => takeSilent(database, { silentMs: 1_000, ...everyone }),
  'too old': () => readTooOld(database, { ageMs: 1_000_000, ...everyone }),
  watches: async () => {
    await ensureWatches(database);
    await takeWatches(database, { owner, leaseMs: 1_000, ...everyone });
    await readOwnWatches(database, owner);
  },
};
test('no hot statement scans a whole table, though its plan was made while that was empty', async () => {
  // Runs each statement more than five times: after that PostgreSQL may use one generic plan.
  for (let round = 0; round < 7; round++) for (const run of Object.values(hotStatements)) await run();
  await database.rows(
    `insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                              budget_day, created_at, completed_at)
     select 'gen_past' || n, $1, $2, 'image', 'image', 'succeeded', 'plain', 4000, 1, current_date,
            clock() - n * interval '1 second', clock() - n * interval '1 second'
       from generate_series(100, 20_000) n`,
    [account.accountId, account.keyId],
  );
  for (const [name, run] of Object.entries(hotStatements)) {
    const before_ = await rowsScanned();
    await run();
    assert.deepEqual(await rowsScanned(), before_, `${name} scans`);
  }
});

test('no list scans the table, whatever it is filtered by', async () => {
  await database.rows('vacuum analyze generations');
  for (const status of [undefined, 'failed'] as const)
    for (const kind of [undefined, 'image'] as const) {
      const before_ = await rowsScanned();
      await listGenerations(database, { accountId: account.accountId, status, kind, offset: 400, limit: 21 });
      assert.deepEqual(
        await rowsScanned(),
        before_,
        `list by ${status ?? 'no'} status and ${kind ?? 'no'} kind`,
      );
    }
});

test("nothing that the console looks at scans the table, a key's generations neither", async () => {
  const of = { accountId: account.accountId };
  const days = ['2026-11-20', '2026-11-21'];
  await database.rows('insert into budget_days select $1, d::date, 0 from unnest($2::text[]) d', [
    'key_other',
    days,
  ]);
  const looks: Record<string, () => Promise<unknown>> = {
    rows: () => listRows(database, { ...of, offset: 400, limit: 21 }),
    'rows of a key': () => listRows(database, { ...of, keyId: account.keyId, offset: 0, limit: 21 }),
    'failed rows of a key': () =>
      listRows(database, { ...of, keyId: 'key_other', status: 'failed', offset: 0, limit: 21 }),
    detail: () => showGeneration(database, { ...of, id: 'gen_past100' }),
    outcomes: () => createOutcomes(database)(account.accountId, days, '2026-11-21'),
    'queued of keys': () => readQueuedOfKeys(database, account.accountId),
    'spent today': () => readSpentToday(database, account.accountId),
  };
  for (const [name, look] of Object.entries(looks)) {
    const before_ = await rowsScanned();
    await look();
    assert.deepEqual(await rowsScanned(), before_, `${name} scans`);
  }
});

test('a page of a list takes its ids from an index alone', async () => {
  for (const filter of ['', `and status = 'succeeded'`, `and kind = 'image'`]) {
    const plan = await database.rows<Record<string, string>>(
      `explain (costs off) select id, created_at from generations where account_id = '${account.accountId}' ${filter}
        order by created_at desc, id desc offset 8000 limit 21`,
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(text, /Index Only Scan/, text);
    assert.doesNotMatch(text, /Sort|Filter/, text);
  }
});
