import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { compareMigrations, readMigrationHashes } from './migration-hashes.ts';

const root = path.resolve(import.meta.dirname, '..');

test('landed migrations are what landed, and new ones are in the list', async () => {
  const { issues, missing } = await compareMigrations(root, await readMigrationHashes());
  assert.deepEqual(issues, []);
  assert.deepEqual(
    missing,
    [],
    'these are not in tools/migration-hashes.json: add them with node stack/launch.mjs --dev tools/hash-migrations.ts',
  );
});

test('a migration that was edited, renamed or added is named; other line ends are no difference', async (t) => {
  const copy = await mkdtemp(path.join(tmpdir(), 'renderkit-migrations-'));
  t.after(() => rm(copy, { recursive: true, force: true }));
  for (const server of ['service', 'studio'])
    await cp(path.join(root, server, 'sql/migrations'), path.join(copy, server, 'sql/migrations'), {
      recursive: true,
    });
  const file = (name: string) => path.join(copy, name);
  const landed = (await compareMigrations(copy, {})).completed;

  const lines = await readFile(file('service/sql/migrations/003-accept.sql'), 'utf8');
  await writeFile(file('service/sql/migrations/003-accept.sql'), lines.replaceAll('\n', '\r\n'));
  assert.deepEqual((await compareMigrations(copy, landed)).issues, []);

  await appendFile(file('service/sql/migrations/001-accounts-and-keys.sql'), '-- later\n');
  await rename(file('studio/sql/migrations/006-uploads.sql'), file('studio/sql/migrations/006-files.sql'));
  const { issues, missing, completed } = await compareMigrations(copy, landed);
  assert.match(
    issues[0] ?? '',
    /^service\/sql\/migrations\/001-accounts-and-keys.sql is not what landed: .*new migration\.$/,
  );
  assert.match(issues[1] ?? '', /^studio\/sql\/migrations\/006-uploads.sql is gone: .*bring it back\.$/);
  assert.equal(issues.length, 2);
  assert.deepEqual(missing, ['studio/sql/migrations/006-files.sql']);
  // The hash of a landed migration never changes.
  const name = '001-accounts-and-keys.sql';
  assert.equal(completed['service']?.[name], landed['service']?.[name]);
});
