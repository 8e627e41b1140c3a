import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { checkDatabase } from './check-database.ts';
import { checkSecretKey } from './check-secret-key.ts';

describe('preflight', () => {
  let db: TestDatabase;
  before(async () => (db = await createTestDatabase('service')));
  after(() => db[Symbol.asyncDispose]());

  test('a migrated, durable database serves', () => checkDatabase(db.database));

  test('a database that cannot be reached is named in a sentence', async () => {
    await using away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'test' });
    await assert.rejects(
      checkDatabase(away),
      (error) =>
        error instanceof ConfigError &&
        error.message.startsWith('The database of DATABASE_URL cannot be used: '),
    );
  });

  test('a database that was never migrated does not', async () => {
    await using empty = await createTestDatabase('empty');
    await assert.rejects(checkDatabase(empty.database), /migration 001-.* npm run migrate/);
  });

  test('a database that forgets commits does not', async () => {
    const name = new URL(db.url).pathname.slice(1);
    await db.database.rows(`alter database ${name} set synchronous_commit = off`);
    await using forgetful = openDatabase({ url: db.url, applicationName: 'test', poolSize: 1 });
    await assert.rejects(checkDatabase(forgetful), /synchronous_commit must not be off/);
  });

  test('the first SECRET_KEY is the only one', async () => {
    const key = randomBytes(32);
    await checkSecretKey(db.database, key);
    await checkSecretKey(db.database, key);
    await assert.rejects(checkSecretKey(db.database, randomBytes(32)), /SECRET_KEY is not the one/);
  });
});
