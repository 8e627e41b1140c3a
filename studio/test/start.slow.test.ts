import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { release } from '@renderkit/server-kit/schema/release.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { prepareAsRelease, readContent } from '@renderkit/server-kit/testing/newer-release.ts';
import { inheritedEnvironment, startPart } from '@renderkit/server-kit/testing/part.ts';
import { recordLocation } from '@renderkit/studio/storage/media-location.ts';
import { startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { mediaEnvironment } from '@renderkit/blob-storage/testing/test-media.ts';
import { startTestStudio } from './harness.ts';

const fileOf = (entry: string) => path.join(import.meta.dirname, '..', 'src', entry);

/** Runs an entry until it ends by itself. Returns its exit code and its error output. */
function run(
  entry: string,
  env: Record<string, string>,
  withinMs = 20_000,
): Promise<{ code: number; stderr: string }> {
  const file = programFile(fileOf(entry));
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [file],
      { env: { ...inheritedEnvironment(), ...env }, timeout: withinMs },
      (error, _out, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stderr }),
    ),
  );
}

const secret = { STUDIO_CLIENT_SECRET: 'a secret of sixteen or more', SECRET_KEY: '7e'.repeat(32) };

test('what an operator set wrongly is said in one sentence', async () => {
  const database = { STUDIO_DATABASE_URL: 'postgres://x' };
  const cases: [entry: string, env: Record<string, string>, stderr: RegExp][] = [
    ['main.ts', {}, /^STUDIO_CLIENT_SECRET is not set: .*\n$/],
    ['main.ts', { STUDIO_CLIENT_SECRET: 'short' }, /^STUDIO_CLIENT_SECRET is too short.*\n$/],
    ['main.ts', { ...secret }, /^STUDIO_DATABASE_URL is not set.*\n$/],
    ['main.ts', { ...secret, STUDIO_DATABASE_URL: 'mysql://x' }, /^STUDIO_DATABASE_URL must.*\n$/],
    [
      'main.ts',
      { ...secret, STUDIO_DATABASE_URL: 'postgres://x', UPLOAD_VIDEO_MB: '501' },
      /^UPLOAD_VIDEO_MB is "501", but it must be a whole number from 1 to 500\.\n$/,
    ],
    ['worker.ts', { STUDIO_DATABASE_URL: 'postgres://x', WORKERS: 'two' }, /^WORKERS is "two", but .*\n$/],
    ['main.ts', { ...secret, ...database, SECRET_KEY: '' }, /^SECRET_KEY is not set: it must be 32 .*\n$/],
    ['main.ts', { ...secret, ...database, SECRET_KEY: 'abc' }, /^SECRET_KEY has the wrong shape: .*\n$/],
    ['worker.ts', database, /^SECRET_KEY is not set: it must be 32 random bytes .*\n$/],
    ['worker.ts', { ...database, SECRET_KEY_FILE: '/nowhere' }, /^SECRET_KEY_FILE is .*ENOENT.*\n$/],
    ['migrate.ts', {}, /^STUDIO_DATABASE_URL is not set.*\n$/],
  ];
  for (const [entry, env, stderr] of cases) {
    const result = await run(entry, env);
    assert.equal(result.code, 1, `${entry} ${result.stderr}`);
    assert.match(result.stderr, stderr);
  }
});

test('a database that was not migrated, and a port that is taken, stop the start with a sentence', async () => {
  await using empty = await createTestDatabase('empty');
  const env = { ...secret, STUDIO_PORT: '0', DATA_DIR: '/nonexistent' };
  const bare = await run('main.ts', { ...env, STUDIO_DATABASE_URL: empty.url });
  assert.match(
    bare.stderr,
    /^The database of STUDIO_DATABASE_URL does not serve: migration 001-.*npm run migrate.*\n$/,
  );
  await using studio = await startTestStudio({ worker: false });
  const taken = await run('main.ts', {
    ...env,
    STUDIO_DATABASE_URL: studio.databaseUrl,
    DATA_DIR: studio.dataDirectory,
    STUDIO_PORT: new URL(studio.url).port,
  });
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /^Port \d+ on 127\.0\.0\.1 is in use: .* set STUDIO_PORT to another port\.\n$/);
});

test('studio and worker refuse to start with a wrong secret, bucket or address of the storage, in one sentence', async () => {
  await using server = await startS3Counterpart();
  // Takes connections and never answers.
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  await using db = await createTestDatabase('studio');
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'studio-start-'));
  const env = { ...secret, STUDIO_DATABASE_URL: db.url, DATA_DIR: dataDirectory, STUDIO_PORT: '0' };
  const wrong: [s3: Record<string, string>, stderr: RegExp][] = [
    [{ S3_SECRET_ACCESS_KEY: 'another' }, /^The bucket .* cannot be used: .* set S3_SECRET_ACCESS_KEY\.\n$/],
    [{ S3_BUCKET: 'nowhere' }, /^The bucket nowhere .* there is no such bucket: make it, .*\.\n$/],
    [
      { S3_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` },
      /^The bucket .* cannot be used: it did not answer within 10 s: set S3_ENDPOINT, or .*\.\n$/,
    ],
  ];
  try {
    const starts = ['main.ts', 'worker.ts'].flatMap((entry) =>
      wrong.map(async ([s3, stderr]) => {
        const said = await run(entry, { ...env, ...mediaEnvironment({ s3: server.config }), ...s3 }, 60_000);
        assert.equal(said.code, 1, `${entry} ${said.stderr}`);
        assert.match(said.stderr, stderr);
      }),
    );
    await Promise.all(starts);
  } finally {
    silent.close();
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('studio and worker whose media are kept elsewhere refuse to start, and store nothing', async (t) => {
  await using server = await startS3Counterpart();
  await using db = await createTestDatabase('studio');
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'studio-start-'));
  t.after(() => rm(dataDirectory, { recursive: true, force: true }));
  await recordLocation(db.database, { dataDirectory, s3: server.config });
  const env = { ...secret, STUDIO_DATABASE_URL: db.url, DATA_DIR: dataDirectory, STUDIO_PORT: '0' };
  for (const entry of ['main.ts', 'worker.ts']) {
    const said = await run(entry, env);
    assert.equal(said.code, 1, `${entry} ${said.stderr}`);
    assert.match(said.stderr, /^This studio's media are kept in the bucket .* set MEDIA_STORE=s3 .*\.\n$/);
  }
  assert.deepEqual(await readdir(dataDirectory), []);
});

test('studio and worker refuse to start with a broken moderation file, in one sentence', async (t) => {
  await using db = await createTestDatabase('studio');
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'studio-start-'));
  t.after(() => rm(dataDirectory, { recursive: true, force: true }));
  await writeFile(path.join(dataDirectory, 'moderation.json'), '{"rules": [}');
  const env = { ...secret, STUDIO_DATABASE_URL: db.url, DATA_DIR: dataDirectory, STUDIO_PORT: '0' };
  for (const entry of ['main.ts', 'worker.ts']) {
    const { code, stderr } = await run(entry, env);
    assert.equal(code, 1, `${entry} ${stderr}`);
    assert.match(
      stderr,
      /^The moderation rules in .*moderation\.json cannot be used \(line 1 is no JSON: .*\n$/,
    );
  }
});

test('on a database of the release after the next studio and worker refuse to start and change nothing', async (t) => {
  await using db = await createTestDatabase('studio');
  await prepareAsRelease(db.database, { release: release + 2, oldestRelease: release + 1 });
  const before = await readContent(db.database);
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'studio-start-'));
  t.after(() => rm(dataDirectory, { recursive: true, force: true }));
  const env = { ...secret, STUDIO_DATABASE_URL: db.url, DATA_DIR: dataDirectory, STUDIO_PORT: '0' };
  for (const entry of ['main.ts', 'worker.ts']) {
    const { code, stderr } = await run(entry, env, 60_000);
    assert.equal(code, 1, `${entry} ${stderr}`);
    assert.equal(
      stderr,
      `The database of STUDIO_DATABASE_URL does not serve: it was prepared by release ${release + 2}, which needs release ${release + 1} or newer beside it, and this is release ${release}: start a newer version.\n`,
    );
  }
  assert.deepEqual(await readContent(db.database), before);
  assert.deepEqual(await readdir(dataDirectory), []);
});

test('on a database of the next release studio and worker start and leave its number', async (t) => {
  await using db = await createTestDatabase('studio');
  await prepareAsRelease(db.database, { release: release + 1, oldestRelease: release });
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'studio-start-'));
  t.after(() => rm(dataDirectory, { recursive: true, force: true }));
  const environment = {
    ...secret,
    STUDIO_DATABASE_URL: db.url,
    DATA_DIR: dataDirectory,
    STUDIO_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  await using _studio = await startPart({ name: 'studio', entry: fileOf('main.ts'), environment });
  await using _worker = await startPart({ name: 'worker', entry: fileOf('worker.ts'), environment });
  const numbers = await db.database.rows('select release, oldest_release from schema_release');
  assert.deepEqual(numbers, [{ release: release + 1, oldest_release: release }]);
});
