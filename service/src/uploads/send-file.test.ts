import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { exampleUpload } from '../../test/scripted-uploads.ts';
import { createSendFile } from './send-file.ts';

let db: TestDatabase;
let accountId: string;
let deleted: number;
before(async () => (db = await createTestDatabase('service')));
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  deleted = 0;
  accountId = newId('acc_');
  await db.database.rows('delete from accounts');
  await db.database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $1)', [
    accountId,
    'std',
  ]);
});

const send = (database: Database) =>
  createSendFile({
    database,
    leases: {
      owner: 'me',
      leaseMs: 10_000,
      hold: () => ({ [Symbol.dispose]: () => undefined }),
      [Symbol.asyncDispose]: async () => undefined,
    },
    studioClient: {
      call: (async () => deleted++) as never,
      storeUpload: async ({ token, body }) => {
        for await (const _ of body());
        return { outcome: 'stored', upload: exampleUpload(token) };
      },
    },
    log: createLogger({ part: 'test', level: 'silent' }),
    onProcessing: () => undefined,
    stopping: new AbortController().signal,
  })({
    accountId,
    hidden: false,
    fileName: 'lake.png',
    projectId: undefined,
    body: async function* () {
      yield Buffer.from('file');
    },
  });

/** Returns a database whose connection breaks at a statement: before it runs, or after it ran but before its answer. */
function breaking(when: 'before' | 'after', breaks: (name: string | undefined) => boolean): Database {
  return {
    ...db.database,
    rows: async (text, values, name) => {
      const rows = when === 'before' && breaks(name) ? [] : await db.database.rows(text, values, name);
      if (breaks(name)) throw new Error('Connection terminated unexpectedly');
      return rows as never;
    },
  };
}

const statuses = async () =>
  (await db.database.rows<{ status: string }>('select status from uploads')).map(({ status }) => status);

test('a record whose answer was lost leaves the upload its file', async () => {
  await assert.rejects(send(breaking('after', (name) => name === 'uploads_stored')), /terminated/);
  assert.deepEqual(await statuses(), ['processing']);
  assert.equal(deleted, 0);
});

test('a file whose record failed is removed at the studio', async () => {
  await assert.rejects(send(breaking('before', (name) => name === 'uploads_stored')), /terminated/);
  assert.deepEqual(await statuses(), []);
  assert.equal(deleted, 1);
});

test('where the database cannot say whose the file is, it is left to the reconciliation', async () => {
  await assert.rejects(send(breaking('before', (name) => name !== 'uploads_receive')), /terminated/);
  assert.deepEqual(await statuses(), ['receiving']);
  assert.equal(deleted, 0);
});
