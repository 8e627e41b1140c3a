import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { release } from '@renderkit/server-kit/schema/release.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { createClient, untilEnded } from './harness/client.ts';
import { noOlderRelease, olderRelease, passOlderTests, unpackOlderRelease } from './harness/older-release.ts';
import { startPlatform } from '@renderkit/stack/testing/platform.ts';

const run = promisify(execFile);

/** Returns tables, columns, indexes, functions and the records of the database's preparation. */
async function schemaOf(database: Database): Promise<unknown[]> {
  return Promise.all(
    [
      `select table_name, column_name, data_type, column_default, is_nullable from information_schema.columns
        where table_schema = 'public' order by 1, 2`,
      `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
      `select pg_get_functiondef(p.oid) as text from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' order by 1`,
      'select * from schema_migrations order by name',
      'select * from schema_functions order by name',
      'select * from schema_release',
    ].map((statement) => database.rows(statement)),
  );
}

test('the release before starts on what this one prepared, serves, and changes nothing of it', async (t) => {
  if (noOlderRelease !== false) return t.skip(noOlderRelease);
  assert.equal(olderRelease.release, release - 1, 'e2e/older-release.json names the release before this one');
  await using older = await unpackOlderRelease();
  await using platform = await startPlatform({ tree: older.directory });
  const { service, studio } = platform.databases;
  const prepared = [await schemaOf(service), await schemaOf(studio)];
  const [newest] = await service.rows<{ release: number }>('select release from schema_release');
  assert.equal(newest?.release, release);

  await run(process.execPath, [path.join(older.directory, 'stack/src/migrate.ts')], {
    env: { ...inheritedEnvironment(), ...platform.environment },
  });
  const who = await platform.createAccount();
  const client = createClient(platform.serviceUrls[0] ?? '', await platform.createKey(who));
  const { body } = await client.create();
  const [done] = await untilEnded(client, [body.id]);
  assert.equal(done?.status, 'succeeded', JSON.stringify(done));

  assert.deepEqual([await schemaOf(service), await schemaOf(studio)], prepared);
});

for (const [what, file] of [
  ['keeps every promise of its specification', 'e2e/spec/spec.test.ts'],
  ['refuses as it says', 'e2e/spec/errors.test.ts'],
] as const)
  test(`on databases that this release prepared, the one before ${what}`, async (t) => {
    if (noOlderRelease !== false) return t.skip(noOlderRelease);
    await passOlderTests(file);
  });
