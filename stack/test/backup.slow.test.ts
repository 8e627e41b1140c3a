import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { makeBackup } from '../src/backup/make-backup.ts';
import { restoreBackup } from '../src/backup/restore-backup.ts';
import { readTar } from '../src/backup/tar.ts';
import { readStackConfig } from '../src/config.ts';
import { databaseNames, prepareDatabases, urlsOf } from '../src/databases.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';
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
  await writeFile(path.join(original, 'media', 'renderkit-studio'), 'stu_1');
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
  // The remains of a killed backup, or a file of another user.
  await writeFile(`${file()}.unfinished`, 'half', { mode: 0o644 });
  const blob = { key: `${'a1B2'.repeat(8)}/ast_1.png`, size_bytes: 7, sha256: 'ab'.repeat(32) };
  let slots: unknown;
  const blobs = async function* () {
    slots = await database.rows('select slot_name from pg_replication_slots');
    yield [blob];
    yield [blob];
  };
  const bucket = { name: 'media', blobs: blobs() };
  const made = await makeBackup({ cluster: postgres, dataDirectory: original, file: file(), bucket });
  load.on = false;
  await writing;
  assert.ok(made.bytes > 1_000_000);
  assert.equal(made.mediaFiles, 1);
  assert.deepEqual(slots, [], 'the server keeps no log while media are copied');
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
  assert.equal(await readFile(path.join(root, 'copy', 'media', 'renderkit-studio'), 'utf8'), 'stu_1');
  if (process.platform !== 'win32')
    for (const [name, mode] of [
      [path.dirname(deep), 0o700],
      [deep, 0o700],
      [path.join(deep, 'a.png'), 0o600],
    ] as const)
      assert.equal((await stat(name)).mode & 0o777, mode, name);
});

test('a backup has every file of the media, however many other folders come and go meanwhile', async () => {
  const busy = path.join(root, 'busy');
  const media = path.join(busy, 'media');
  const shards = Array.from({ length: 8 }, (_, index) => path.join(media, String(index + 10)));
  const fill = async (folder: string) => {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'a.png'), 'picture');
  };
  for (const shard of shards)
    await Promise.all(Array.from({ length: 250 }, (_, index) => fill(path.join(shard, `stays${index}`))));
  await using postgres = await start('busy');
  const load = { on: true };
  // Folders that users delete and that are created again, in each shard.
  const changing = shards.map(async (shard) => {
    for (let round = 0; load.on; round++) {
      await fill(path.join(shard, `goes${round}`));
      await rm(path.join(shard, `goes${round - 3}`), { recursive: true, force: true });
      await sleep(5);
    }
  });
  const target = path.join(root, 'busy.tar.gz');
  const { mediaFiles } = await makeBackup({ cluster: postgres, dataDirectory: busy, file: target }).finally(
    () => (load.on = false),
  );
  await Promise.all(changing);
  let stayed = 0;
  let others = 0;
  for await (const { name, content } of readTar(createReadStream(target).pipe(createGunzip()))) {
    await Array.fromAsync(content);
    if (!name.startsWith('data/media/')) continue;
    if (name.includes('/stays')) stayed++;
    else others++;
  }
  assert.equal(stayed, 8 * 250);
  assert.equal(mediaFiles, stayed + others);
});

test('media that cannot be read end a backup, and nothing of it stays', async () => {
  const broken = path.join(root, 'broken');
  await using postgres = await start('broken');
  // An unusable folder whose error occurs for root too.
  await symlink('media', path.join(broken, 'media'));
  const target = path.join(root, 'broken.tar.gz');
  await assert.rejects(makeBackup({ cluster: postgres, dataDirectory: broken, file: target }), /ELOOP/);
  for (const name of [target, `${target}.unfinished`]) await assert.rejects(access(name), /ENOENT/);
});

test('a backup whose bucket is away does not begin', async () => {
  const target = path.join(root, 'away.tar.gz');
  const environment = {
    ...inheritedEnvironment(),
    DATA_DIR: path.join(root, 'away'),
    MEDIA_STORE: 's3',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    S3_BUCKET: 'media',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
  };
  await assert.rejects(
    runOperator(commands, ['backup', '--to', target], environment),
    (error) =>
      error instanceof ConfigError && /^The bucket media at .* nothing answers there/.test(error.message),
  );
  await assert.rejects(access(target), /ENOENT/);
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
