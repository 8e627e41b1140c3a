import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { release } from '@renderkit/server-kit/schema/release.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { prepareAsRelease, readContent } from '@renderkit/server-kit/testing/newer-release.ts';
import { inheritedEnvironment, startPart } from '@renderkit/server-kit/testing/part.ts';
import { checkSecretKey } from '../src/preflight/check-secret-key.ts';
import { startTestService } from './harness.ts';

const entry = path.join(import.meta.dirname, '..', 'src', 'main.ts');
const ordinary = { PORT: '0', STUDIO_CLIENT_ID: 'service', STUDIO_CLIENT_SECRET: 'a secret of sixteen' };

/** Runs the service until it ends by itself. Returns its exit code and its output. */
function run(env: Record<string, string>): Promise<{ code: number; said: string }> {
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [programFile(entry)],
      { env: { ...inheritedEnvironment(), ...ordinary, ...env }, timeout: 60_000 },
      (error, _out, said) => resolve({ code: error === null ? 0 : Number(error.code), said }),
    ),
  );
}

test('without its key, or with another one, the service refuses to start in one sentence', async () => {
  await using db = await createTestDatabase('service');
  await checkSecretKey(db.database, Buffer.alloc(32, 1));
  const cases: [key: string, said: RegExp][] = [
    ['', /^SECRET_KEY is not set: .*\n$/],
    [' ', /^SECRET_KEY is not set: .*\n$/],
    ['short', /^SECRET_KEY has the wrong shape: .*\n$/],
    [
      'ab'.repeat(32),
      /^SECRET_KEY is not the one that the secrets in this database were encrypted with: .*\n$/,
    ],
  ];
  for (const [key, expected] of cases) {
    const { code, said } = await run({ DATABASE_URL: db.url, SECRET_KEY: key });
    assert.equal(code, 1, said);
    assert.match(said, expected);
  }
});

test('a port that is taken stops the start with a sentence that names it', async () => {
  await using service = await startTestService();
  const port = Number(new URL(service.url).port);
  await assert.rejects(service.startAnother({}, { port }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(
      error.message,
      new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use: .* set PORT to another port\\.$`),
    );
    return true;
  });
});

test('on a database of the release after the next the service refuses to start and changes nothing', async () => {
  await using db = await createTestDatabase('service');
  await prepareAsRelease(db.database, { release: release + 2, oldestRelease: release + 1 });
  const before = await readContent(db.database);
  const { code, said } = await run({ DATABASE_URL: db.url, SECRET_KEY: 'ab'.repeat(32) });
  assert.equal(code, 1, said);
  assert.equal(
    said,
    `The database of DATABASE_URL does not serve: it was prepared by release ${release + 2}, which needs release ${release + 1} or newer beside it, and this is release ${release}: start a newer version.\n`,
  );
  assert.deepEqual(await readContent(db.database), before);
});

test('on a database of the next release the service starts and leaves its number', async () => {
  await using db = await createTestDatabase('service');
  await prepareAsRelease(db.database, { release: release + 1, oldestRelease: release });
  await using service = await startPart({
    name: 'service',
    entry,
    environment: { ...ordinary, DATABASE_URL: db.url, SECRET_KEY: 'ab'.repeat(32), LOG_LEVEL: 'silent' },
  });
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  const numbers = await db.database.rows('select release, oldest_release from schema_release');
  assert.deepEqual(numbers, [{ release: release + 1, oldest_release: release }]);
});
