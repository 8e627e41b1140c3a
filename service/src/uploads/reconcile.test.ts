import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { exampleUpload } from '../../test/scripted-uploads.ts';
import { expireUnused } from './expire-unused.ts';
import { endUploads, statusesBefore } from './outcome-store.ts';
import { countUploads, eraseUploads } from './queries.ts';
import { removeOrphans } from './reconcile.ts';
import { claimImports, insertReceiving, recordStored, removeUpload } from './store.ts';

const log = createLogger({ part: 'test', level: 'silent' });
let db: TestDatabase;
let database: Database;
let accountId: string;
let deleted: string[];
before(async () => {
  db = await createTestDatabase('service');
  ({ database } = db);
});
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await moveClock(database, 0);
  await database.rows('delete from accounts');
  accountId = await seedAccount();
  deleted = [];
});

async function seedAccount(): Promise<string> {
  const id = newId('acc_');
  await database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $1)', [
    id,
    'std',
  ]);
  await database.rows(`insert into connections (account_id, status) values ($1, 'live')`, [id]);
  return id;
}

const lease = { owner: 'me', leaseMs: 10_000 };
async function receive(hidden = false): Promise<string> {
  const id = newId('upl_');
  await insertReceiving(database, { ...lease, id, accountId, hidden, projectId: undefined });
  return id;
}
const store = (token: string) =>
  recordStored(database, { owner: 'me', upload: exampleUpload(token), from: 'receiving', askAfterMs: 3_000 });
const end = (id: string) => endUploads(database, [{ id, accountId, status: 'ready', error: null }]);
const ids = async () =>
  (await database.rows<{ id: string }>('select id from uploads order by id')).map(({ id }) => id);

function removeAll(fails = false): Promise<void> {
  return removeOrphans({
    database,
    log,
    leases: {
      owner: 'reconciliation',
      leaseMs: 10_000,
      hold: () => ({ [Symbol.dispose]: () => {} }),
      [Symbol.asyncDispose]: async () => {},
    },
    studioClient: {
      call: (async (_operation: string, { params }: { params: { token: string } }) => {
        if (fails) throw new Error('away');
        deleted.push(params.token);
        return { deleted: true };
      }) as never,
    },
  });
}

/** Creates a generation that names an upload. */
async function seedGeneration(upload: string, status: 'queued' | 'succeeded'): Promise<string> {
  const id = newId('gen_');
  await database.rows(
    `insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                              budget_day, completed_at)
     values ($1, $2, 'key', 'image', 'image', $3, 'plain', 0, 1, current_date, case when $3 = 'queued' then null else clock() end)`,
    [id, accountId, status],
  );
  await database.rows('insert into generation_uploads (upload_id, generation_id) values ($1, $2)', [
    upload,
    id,
  ]);
  return id;
}

test('a file whose sender lives is left alone; one whose lease ran out goes, the studio’s copy first', async () => {
  const id = await receive();
  await removeAll();
  assert.deepEqual(await ids(), [id]);
  await moveClock(database, 11);
  await removeAll(true);
  assert.deepEqual([await ids(), deleted], [[id], []]);
  assert.equal((await countUploads(database)).receiving, 1);
  // Not claimed again meanwhile, but once the lease has expired.
  await removeAll();
  assert.deepEqual(await ids(), [id]);
  await moveClock(database, 60);
  await removeAll();
  assert.deepEqual([await ids(), deleted], [[], [id]]);
});

test('who lost the lease records nothing any more', async () => {
  const id = await receive();
  await moveClock(database, 11);
  await removeAll(true);
  assert.equal(await store(id), undefined);
  await removeUpload(database, { id, owner: 'me' });
  assert.deepEqual(await ids(), [id]);
});

test('a hidden file goes a day after it came, once no generation under way names it', async () => {
  const [plain, free, needed, done] = [
    await receive(),
    await receive(true),
    await receive(true),
    await receive(true),
  ];
  for (const id of [plain, free, needed, done]) {
    await store(id);
    await end(id);
  }
  const generation = await seedGeneration(needed, 'queued');
  await seedGeneration(done, 'succeeded');
  await moveClock(database, 23 * 3600);
  await removeAll();
  assert.equal((await ids()).length, 4);
  await moveClock(database, 26 * 3600);
  assert.equal((await countUploads(database)).left, 3);
  await removeAll();
  assert.deepEqual(await ids(), [plain, needed].toSorted());
  assert.deepEqual(deleted.toSorted(), [free, done].toSorted());
  await database.rows(`update generations set status = 'canceled', completed_at = clock() where id = $1`, [
    generation,
  ]);
  await removeAll();
  assert.deepEqual(await ids(), [plain]);
});

test('an upload goes 30 days after it came or was last named, never while a generation under way names it', async () => {
  const day = 86_400;
  const [unused, named, used, rejected] = [
    await receive(),
    await receive(),
    await receive(),
    await receive(),
  ];
  for (const id of [unused, named, used, rejected]) await store(id);
  for (const id of [unused, named, used]) await end(id);
  await endUploads(database, [{ id: rejected, accountId, status: 'rejected', error: 'No.' }]);
  const generation = await seedGeneration(used, 'queued');
  const stand = async () => {
    await expireUnused({ database });
    const rows = await database.rows<{ id: string }>(
      `select id from uploads where status <> 'deleting' order by id`,
    );
    return rows.map(({ id }) => id);
  };
  await moveClock(database, 29.9 * day);
  assert.equal((await stand()).length, 4);
  await seedGeneration(named, 'succeeded');
  await moveClock(database, 30.1 * day);
  assert.deepEqual(await stand(), [named, used].toSorted());
  await removeAll();
  assert.deepEqual(deleted.toSorted(), [unused, rejected].toSorted());
  assert.deepEqual(await ids(), [named, used].toSorted());

  await moveClock(database, 59.8 * day);
  assert.equal((await stand()).length, 2);
  await database.rows(`update generations set status = 'canceled', completed_at = clock() where id = $1`, [
    generation,
  ]);
  await moveClock(database, 60.9 * day);
  assert.deepEqual(await stand(), []);
  await removeAll();
  assert.deepEqual(await ids(), []);
});

test('imports are shared out among accounts, and only those that a queued generation waits for', async () => {
  const importOf = async (account: string, wanted = true) => {
    const id = newId('upl_');
    await database.rows(
      `insert into uploads (id, account_id, status, hidden, source_url) values ($1, $2, 'coming', true, 'https://x')`,
      [id, account],
    );
    if (wanted) await seedGeneration(id, 'queued');
    return id;
  };
  const other = await seedAccount();
  for (let i = 0; i < 6; i++) await importOf(accountId);
  const theirs = await importOf(other);
  const unwanted = await importOf(accountId, false);
  const claim = { ...lease, atMost: 4, perAccount: 4 };
  const first = await claimImports(database, claim);
  assert.equal(first.length, 4);
  assert.ok(
    first.some(({ id }) => id === theirs),
    'whoever has one waits for nobody who has many',
  );
  await removeAll();
  assert.ok(!(await ids()).includes(unwanted));
  assert.deepEqual(deleted, [unwanted]);
  assert.equal(
    (await claimImports(database, { ...claim, owner: 'another' })).length,
    1,
    'four of an account at once',
  );
  assert.equal((await claimImports(database, claim)).length, 0);
  await moveClock(database, 11);
  assert.equal(
    (await claimImports(database, { ...claim, atMost: 50 })).length,
    5,
    'what a dead process took',
  );
});

test('an upload has one end, and nothing of a deleted account stays', async () => {
  const id = await receive();
  assert.deepEqual(await end(id), [], 'what is not there yet does not end');
  await store(id);
  assert.equal((await end(id)).length, 1);
  assert.equal((await end(id)).length, 0);
  assert.deepEqual(
    [statusesBefore('processing'), statusesBefore('ready'), statusesBefore('rejected')],
    [['receiving', 'coming'], ['processing'], ['coming', 'processing']],
  );
  await eraseUploads(database, accountId);
  assert.deepEqual(await ids(), []);
});
