import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { makeBackup } from '../src/backup/make-backup.ts';
import { restoreBackup } from '../src/backup/restore-backup.ts';
import { readStackConfig } from '../src/config.ts';
import { databaseNames, prepareDatabases, urlsOf } from '../src/databases.ts';
import { startPostgres } from '../src/postgres/start-postgres.ts';
import { StackError } from '../src/stack-error.ts';

let root: string;
before(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'renderkit-backup-'));
  await chmod(root, 0o711);
});
after(() => rm(root, { recursive: true, force: true }));

const file = () => path.join(root, 'backup.tar.gz');
const start = (name: string) =>
  startPostgres({ dataDirectory: path.join(root, name), databases: databaseNames });

test('a backup made under load is restored whole: rows, media, keys, and what lies in a bucket', async () => {
  const original = path.join(root, 'original');
  await mkdir(path.join(original, 'media', 'deep'), { recursive: true });
  await writeFile(path.join(original, 'secret-key'), 'the key', { mode: 0o600 });
  await writeFile(path.join(original, 'media', 'deep', 'a.png'), 'picture');
  await using postgres = await start('original');
  await prepareDatabases(urlsOf(postgres));
  await using database = openDatabase({ url: postgres.urlFor('service'), applicationName: 'test' });
  await database.rows('create table written (n int primary key, filler text)');
  const load = { rows: 0, on: true };
  const writing = (async () => {
    while (load.on) {
      await database.rows(`insert into written values ($1, repeat('x', 500))`, [load.rows + 1]);
      load.rows++;
    }
  })();
  while (load.rows < 50) await new Promise((resolve) => setImmediate(resolve));
  const written = load.rows;
  // Of a backup that was killed, or put there by another user.
  await writeFile(`${file()}.unfinished`, 'half', { mode: 0o644 });
  const blob = { key: `${'a1B2'.repeat(8)}/ast_1.png`, size_bytes: 7, sha256: 'ab'.repeat(32) };
  const bucket = { name: 'media', blobs: Readable.from([[blob], [blob]]) };
  const { bytes } = await makeBackup({ cluster: postgres, dataDirectory: original, file: file(), bucket });
  load.on = false;
  await writing;
  assert.ok(bytes > 1_000_000);
  if (process.platform !== 'win32') assert.equal((await stat(file())).mode & 0o777, 0o600);

  const manifest = await restoreBackup(readStackConfig({ DATA_DIR: path.join(root, 'copy') }), file());
  assert.equal(manifest.bucket, 'media');
  const listed = await readFile(path.join(root, 'copy', 'media-in-bucket', '000002.jsonl'), 'utf8');
  assert.deepEqual(JSON.parse(listed), blob);
  await using restored = await start('copy');
  await using copy = openDatabase({ url: restored.urlFor('service'), applicationName: 'test' });
  const [rows] = await copy.rows<{ count: number; last: number }>(
    'select count(*), max(n) as last from written',
  );
  assert.ok(
    rows !== undefined && rows.last >= written && rows.count === rows.last,
    JSON.stringify({ rows, written }),
  );
  assert.equal(await readFile(path.join(root, 'copy', 'secret-key'), 'utf8'), 'the key');
  const deep = path.join(root, 'copy', 'media', 'deep');
  assert.equal(await readFile(path.join(deep, 'a.png'), 'utf8'), 'picture');
  if (process.platform !== 'win32')
    for (const [name, mode] of [
      [path.dirname(deep), 0o700],
      [deep, 0o700],
      [path.join(deep, 'a.png'), 0o600],
    ] as const)
      assert.equal((await stat(name)).mode & 0o777, mode, name);
});

test('a backup is restored into an empty directory only', async () => {
  const taken = path.join(root, 'taken');
  await mkdir(taken);
  await writeFile(path.join(taken, 'mine'), '');
  await assert.rejects(restoreBackup(readStackConfig({ DATA_DIR: taken }), file()), /is not empty/);
});

test('half a backup restores nothing', async () => {
  const half = path.join(root, 'half.tar.gz');
  await writeFile(half, (await readFile(file())).subarray(0, 500_000));
  const config = readStackConfig({ DATA_DIR: path.join(root, 'nothing') });
  await assert.rejects(restoreBackup(config, half), (error: Error) => {
    assert.ok(error instanceof StackError);
    assert.match(error.message, /is no whole backup/);
    return true;
  });
  await restoreBackup(config, file());
});
