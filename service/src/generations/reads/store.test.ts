import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { seedAccount, type Seeded, seedQueue } from '../testing/seed.ts';
import { GenerationReader } from './read-generation.ts';
import { readGenerations } from './store.ts';

let db: TestDatabase;
let database: Database;
let account: Seeded;
let other: Seeded;
before(async () => {
  db = await createTestDatabase('service');
  database = db.database;
  account = await seedAccount(database);
  other = await seedAccount(database);
});
after(() => db[Symbol.asyncDispose]());

test('a batch answers each in its order, and nothing where the account has none of that id', async () => {
  const { accountId } = account;
  const [first, second] = (await seedQueue(database, account, 2)) as [string, string];
  const [foreign] = (await seedQueue(database, other, 1)) as [string];
  const rows = await readGenerations(database, [
    { id: newId('gen_'), accountId },
    { id: second, accountId },
    { id: foreign, accountId },
    { id: foreign, accountId: other.accountId },
    { id: first, accountId },
    { id: second, accountId },
  ]);
  assert.deepEqual(
    rows.map((row) => row?.id),
    [undefined, second, undefined, foreign, first, second],
  );
  assert.deepEqual(await readGenerations(database, [{ id: first, accountId: other.accountId }]), [undefined]);
});

test('what the studio named keeps all of its characters but the separators, and null stays null', async () => {
  const { accountId } = account;
  const [plain, named] = (await seedQueue(database, account, 2)) as [string, string];
  await database.rows(
    `update generations set model = E'a,b|"c\\n\\x1e\\x1fd😀', project_id = E'\\x1e', prompt_id = '', metadata = '{"a":"é😀,"}',
            submitted_at = clock() where id = $1`,
    [named],
  );
  const [before_, row, after_] = await readGenerations(database, [
    { id: plain, accountId },
    { id: named, accountId },
    { id: plain, accountId },
  ]);
  assert.equal(row?.model, 'a,b|"c\nd😀');
  assert.equal(row.project_id, '');
  assert.equal(row.prompt_id, '');
  assert.equal(row.metadata, '{"a":"é😀,"}');
  assert.ok(row.submitted_at !== null);
  assert.equal(row.completed_at, null);
  assert.equal(before_?.id, plain);
  assert.equal(before_.project_id, null);
  assert.deepEqual(after_, before_);
});

test('a row that holds a separator where none can be gives nobody the row of another', async () => {
  const { accountId } = account;
  const [poisoned, ...healthy] = (await seedQueue(database, account, 3)) as [string, string, string];
  await database.rows(`update generations set error_message = E'a\\x1fb' where id = $1`, [poisoned]);
  const reader = new GenerationReader(database);
  const ids = [healthy[0], poisoned, healthy[1]];
  const read = await Promise.allSettled(ids.map((id) => reader.read({ id, accountId })));
  assert.deepEqual(
    read.map((one) => (one.status === 'fulfilled' ? one.value.id : 'failed')),
    [healthy[0], 'failed', healthy[1]],
  );
});
