import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { createSecretBox } from '@renderkit/server-kit/secrets.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { checkSecretKey } from '@renderkit/service/preflight/check-secret-key.ts';
import { readStackConfig, type StackConfig } from '../src/config.ts';
import { ensureSecrets } from '../src/stored-secrets.ts';

let service: TestDatabase;
let empty: TestDatabase;
before(
  async () => ([service, empty] = [await createTestDatabase('service'), await createTestDatabase('empty')]),
);
after(() => Promise.all([service, empty].map((db) => db[Symbol.asyncDispose]())));

async function newConfig(t: TestContext, more: Record<string, string> = {}): Promise<StackConfig> {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-secrets-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return readStackConfig({ DATA_DIR: directory, ...more });
}

const urlsOf = (db: TestDatabase) => ({ service: db.url, studio: db.url });
const keyFile = (config: StackConfig) => path.join(config.dataDirectory, 'secret-key');

test('where nothing was encrypted yet, a key is made: without a file, over an empty one, before any migration', async (t) => {
  for (const db of [service, empty]) {
    const config = await newConfig(t, { SECRET_KEY: '' });
    const first = await ensureSecrets(config, urlsOf(db));
    assert.match(first.secretKey, /^[0-9a-f]{64}$/);
    assert.deepEqual(await ensureSecrets(config, urlsOf(db)), first);
    await writeFile(keyFile(config), ' \n\t');
    const second = await ensureSecrets(config, urlsOf(db));
    assert.notEqual(second.secretKey, first.secretKey);
    assert.equal(await readFile(keyFile(config), 'utf8'), `${second.secretKey}\n`);
    if (process.platform !== 'win32') assert.equal((await stat(keyFile(config))).mode & 0o777, 0o600);
  }
});

test('a secret that is no secret is left as it is and named', async (t) => {
  const config = await newConfig(t);
  await writeFile(keyFile(config), 'half a key');
  await assert.rejects(
    ensureSecrets(config, urlsOf(empty)),
    /secret-key holds no key .*, or remove the file to have one/,
  );
  await rm(keyFile(config));
  await writeFile(path.join(config.dataDirectory, 'studio-client-secret'), 'short');
  await assert.rejects(
    ensureSecrets(config, urlsOf(empty)),
    /studio-client-secret holds no secret of 16 characters/,
  );
});

test('a row that was encrypted is enough to ask for its key, also where no start has noted one', async (t) => {
  await using db = await createTestDatabase('service');
  const key = Buffer.alloc(32, 7);
  await checkSecretKey(db.database, key);
  const config = await newConfig(t);
  await assert.rejects(ensureSecrets(config, urlsOf(db)), /secret-key is missing, and the database holds/);
  const encrypted = createSecretBox(key, 'studio connection').encrypt('token', 'acc');
  await db.database.rows(`delete from settings`);
  await db.database.rows(
    `insert into accounts (id, studio_id, studio_account_id) values ('acc', 'stu', 'one')`,
  );
  await db.database.rows(
    `insert into connections (account_id, status, refresh_token_sealed) values ('acc', 'live', $1)`,
    [encrypted],
  );
  await assert.rejects(ensureSecrets(config, urlsOf(db)), /secret-key is missing, and the database holds/);
  await assert.rejects(checkSecretKey(db.database, Buffer.alloc(32, 8)), /SECRET_KEY is not the one/);
  await writeFile(keyFile(config), `${key.toString('hex')}\n`);
  assert.equal((await ensureSecrets(config, urlsOf(db))).secretKey, key.toString('hex'));
});

test('processes that start together end up with one key', async (t) => {
  const config = await newConfig(t);
  const said = await Promise.all(Array.from({ length: 4 }, () => startKeeping(config).output));
  assert.equal(new Set(said).size, 1, said.join());
  assert.equal((await readFile(keyFile(config), 'utf8')).trim(), said[0]);
});

test('a process that is killed while it makes the key leaves none or a whole one', async (t) => {
  for (let round = 0; round < 4; round++) {
    const config = await newConfig(t);
    const { child, output } = startKeeping(config);
    const watcher = watch(config.dataDirectory, (_event, name) => {
      // Kills the process from the key's first byte on, a little later in each round.
      if (name?.startsWith('secret-key') === true) setTimeout(() => child.kill('SIGKILL'), round);
    });
    await output;
    watcher.close();
    const left = await readFile(keyFile(config), 'utf8').catch(() => undefined);
    if (left !== undefined) assert.match(left, /^[0-9a-f]{64}\n$/);
    const { secretKey } = await ensureSecrets(config, urlsOf(empty));
    if (left !== undefined) assert.equal(secretKey, left.trim());
  }
});

/** Starts a process that stores the secrets of the config and prints the key. */
function startKeeping(config: StackConfig): { child: ChildProcess; output: Promise<string> } {
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url).href);
  const program = `
    import { readStackConfig } from ${source('config')};
    import { ensureSecrets } from ${source('stored-secrets')};
    const config = readStackConfig({ DATA_DIR: ${JSON.stringify(config.dataDirectory)} });
    console.log((await ensureSecrets(config, ${JSON.stringify(urlsOf(empty))})).secretKey);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: once(child, 'close').then(() => text.trim()) };
}
