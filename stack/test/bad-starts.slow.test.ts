import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { recordLocation } from '@renderkit/studio/storage/media-location.ts';
import { startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { makeStackDirectory, type StackDirectory } from './stack-directory.ts';

let home: StackDirectory;
before(async () => (home = await makeStackDirectory()));
after(() => home[Symbol.asyncDispose]());

test('a part that served and then cannot start is tried again for ever, and the others stay', async () => {
  const said: string[] = [];
  await using stack = await home.start({ said, entries: { worker: 'unsteady' } });
  const [serviceBefore] = (await home.pidsOf('service')).slice(-1);
  const [worker = 0] = (await home.pidsOf('unsteady')).slice(-1);
  const away = path.join(home.path, 'away');
  await writeFile(away, '');
  process.kill(worker, 'SIGKILL');
  // One more death than the limit for a part that never served, and then some at the longest pause.
  await until(
    'six deaths',
    async () => (await home.notes()).filter((line) => line === 'unsteady dies').length >= 6,
  );
  await until('word of it', async () => said.some((line) => line.startsWith('worker is still down')));
  assert.equal((await fetch(`${stack.addresses.service}/readyz`)).status, 200);
  await rm(away);
  await until('its return', async () => said.some((line) => line.startsWith('worker is back, after')));
  assert.deepEqual((await home.pidsOf('service')).slice(-1), [serviceBefore]);
  const problems = said.filter((line) => line.startsWith('worker'));
  assert.match(problems[0] ?? '', /^worker ended by SIGKILL; it is started again$/);
  assert.match(problems[1] ?? '', /\(worker ended by exit code 3\).*worker\.log\.$/);
  assert.equal(problems.length, 3);
});

test('a lost, empty or wrong key is refused at once over data that need it, and nothing is made up', async () => {
  await (await home.start())[Symbol.asyncDispose]();
  // The key encrypts the connection of an account.
  await home.operator('account create --email grace@example.org');
  const file = path.join(home.path, 'secret-key');
  const kept = await readFile(file, 'utf8');
  const noted = (await home.notes()).length;
  const missing = /secret-key is missing, and the database holds what was encrypted/;
  await rm(file);
  await assert.rejects(home.start(), missing);
  await assert.rejects(home.operator('account list'), missing);
  await assert.rejects(stat(file), { code: 'ENOENT' });
  for (const [content, said] of [
    [' \n', /secret-key is empty, and the database holds what was encrypted/],
    [kept.slice(0, 20), /secret-key holds no key of 64 hexadecimal characters: put the right one back/],
    ['ab'.repeat(32), /The key in .*secret-key is not the one that the secrets in the database/],
  ] as const) {
    await writeFile(file, content);
    await assert.rejects(home.start(), said);
    assert.equal(await readFile(file, 'utf8'), content);
  }
  await assert.rejects(
    home.start({ environment: { SECRET_KEY: 'ab'.repeat(32) } }),
    /^StackError: SECRET_KEY is not the one that the secrets in the database/,
  );
  assert.equal((await home.notes()).length, noted, 'no part was started');
  await writeFile(file, kept);
  await (await home.start({ environment: { SECRET_KEY: ' ' } }))[Symbol.asyncDispose]();
});

test('a bucket that cannot be used is told in one sentence before anything starts', async () => {
  await using storage = await startS3Counterpart();
  const { endpoint, bucket, region, accessKeyId } = storage.config;
  const environment = {
    MEDIA_STORE: 's3',
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: 'not its secret',
    S3_PATH_STYLE: 'on',
  };
  const noted = (await home.notes()).length;
  await assert.rejects(
    home.start({ environment }),
    /^ConfigError: The bucket .* cannot be used: the secret is not/,
  );
  assert.equal((await home.notes()).length, noted);
});

test('a place of media that is not where the studio keeps them is refused before any part starts', async () => {
  await using storage = await startS3Counterpart();
  await using service = await createTestDatabase('service', { poolSize: 1 });
  await using studio = await createTestDatabase('studio', { poolSize: 1 });
  await recordLocation(studio.database, { dataDirectory: home.path, s3: storage.config });
  const noted = (await home.notes()).length;
  const environment = {
    DATABASE_URL: service.url,
    STUDIO_DATABASE_URL: studio.url,
    DATA_DIR: path.join(home.path, 'no-bucket'),
  };
  await assert.rejects(
    home.start({ environment }),
    /^ConfigError: This studio's media are kept in the bucket/,
  );
  assert.equal((await home.notes()).length, noted);
});

test('a broken moderation file leaves the rules in force, which the screen says', async () => {
  const file = path.join(home.path, 'moderation.json');
  await writeFile(file, '{"rules": [{"reason": "a", "phrases": ["b"]}]}');
  assert.equal((await home.operator(`moderation apply --file ${file}`)).failed, false);
  await writeFile(file, '{"rules": [{"reason": "a", "phrases": ["b"]}}');
  const said: string[] = [];
  await (await home.start({ said }))[Symbol.asyncDispose]();
  assert.match(said.join('\n'), /moderation\.json: .*cannot be used.*stay in force/);
  await rm(file);
});

test('a broken moderation file is refused where there are no rules yet, before any part starts', async (t) => {
  const fresh = await mkdtemp(path.join(tmpdir(), 'stack-'));
  t.after(() => rm(fresh, { recursive: true, force: true }));
  await writeFile(path.join(fresh, 'moderation.json'), '{"rules": [}');
  await assert.rejects(
    home.start({ environment: { DATA_DIR: fresh } }),
    /^ConfigError: The moderation rules in .*moderation.json cannot be used \(line 1 /,
  );
});
