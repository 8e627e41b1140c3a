import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { exampleUpload } from '../../../test/scripted-uploads.ts';
import { expireUploads, markDeleted } from '../../uploads/deletion-store.ts';
import { endUploads } from '../../uploads/outcome-store.ts';
import {
  countUploads,
  findGone,
  findUploads,
  listUploads,
  readUploadsInProcessing,
} from '../../uploads/queries.ts';
import {
  claimImports,
  claimOrphans,
  insertReceiving,
  postpone,
  readUpload,
  recordStored,
  removeUpload,
  renewLeases,
  takeStale,
} from '../../uploads/store.ts';
import { acceptGenerations } from '../create/store.ts';
import { beginWatch, ensureWatches } from '../follow/store.ts';
import { aCreate, limitsOf, seedAccount, type Seeded } from '../testing/seed.ts';
import { lockAccounts, readWaiting, unblock } from './waiting-store.ts';

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
      where relname in ('generations', 'uploads', 'generation_uploads', 'generation_requests')`,
  );
  return Object.fromEntries(rows.map(({ relname, seq_tup_read: read }) => [relname, read]));
}

const lease = { owner: 'svc_test', leaseMs: 10_000 };
const statements: Record<string, () => Promise<unknown>> = {
  'receive, accept, end': async () => {
    const { accountId } = account;
    const [stored, lost, imported] = [newId('upl_'), newId('upl_'), newId('upl_')];
    for (const id of [stored, lost])
      await insertReceiving(database, { ...lease, id, accountId, hidden: false, projectId: undefined });
    await renewLeases(database, { ...lease, ids: [stored, lost] });
    await removeUpload(database, { ...lease, id: lost });
    await recordStored(database, {
      owner: lease.owner,
      upload: exampleUpload(stored),
      from: 'receiving',
      askAfterMs: 1_000,
    });
    const uploads = [{ id: stored }, { id: imported, url: 'https://example.org/x.png' }];
    await acceptGenerations(database, [aCreate(account, { uploads })], 1_000);
    await postpone(database, { id: imported, tries: 0, owner: lease.owner, forMs: 10 });
    await database.transaction(async (transaction) => {
      await lockAccounts(transaction, [accountId]);
      await endUploads(transaction, [{ id: stored, accountId, status: 'ready', error: null }]);
      await endUploads(transaction, [{ id: imported, accountId, status: 'rejected', error: 'x' }]);
      await unblock(transaction, [stored]);
      await readWaiting(transaction, [imported]);
    });
  },
  read: () => readUpload(database, { id: 'upl_past200', accountId: account.accountId }),
  named: () => findUploads(database, account.accountId, ['upl_past200', 'upl_x']),
  imports: () => claimImports(database, { ...lease, atMost: 4, perAccount: 4 }),
  orphans: () => claimOrphans(database, { ...lease, atMost: 50 }),
  delete: async () => {
    const { accountId } = account;
    const id = newId('upl_');
    await insertReceiving(database, { ...lease, id, accountId, hidden: false, projectId: undefined });
    await recordStored(database, {
      owner: lease.owner,
      upload: exampleUpload(id),
      from: 'receiving',
      askAfterMs: 1_000,
    });
    await markDeleted(database, { ...lease, id, accountId });
    await findGone(database, accountId, [id]);
    await removeUpload(database, { ...lease, id });
  },
  expire: () => expireUploads(database, { keptDays: 30, atMost: 200 }),
  list: () => listUploads(database, { accountId: account.accountId, offset: 0, limit: 20 }),
  stale: () => takeStale(database, { silentMs: 1_000, overdueMs: 1_000_000, atMost: 100 }),
  'in processing': () => readUploadsInProcessing(database, account.accountId),
  count: () => countUploads(database),
  watches: async () => {
    await ensureWatches(database);
    await beginWatch(database, { ...lease, accountId: account.accountId });
  },
};

test('no statement about uploads scans a whole table, though its plan was made while that was empty', async () => {
  // Runs each statement more than five times: after that PostgreSQL may use one generic plan.
  for (let round = 0; round < 7; round++) for (const run of Object.values(statements)) await run();
  await database.rows(
    `insert into uploads (id, account_id, status, hidden, type, url, file_name, content_type, size_bytes,
                          processing_since, due_at)
     select 'upl_past' || n, $1, 'ready', n % 2 = 0, 'image', 'https://x', 'x', 'image/png', 1, clock(),
            clock() + interval '1 day'
       from generate_series(100, 20000) n`,
    [account.accountId],
  );
  for (const [name, run] of Object.entries(statements)) {
    const earlier = await rowsScanned();
    await run();
    assert.deepEqual(await rowsScanned(), earlier, `${name} scans`);
  }
});
