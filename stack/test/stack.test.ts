import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { makeStackDirectory, type StackDirectory } from './stack-directory.ts';

let home: StackDirectory;
before(async () => (home = await makeStackDirectory()));
after(() => home[Symbol.asyncDispose]());

test('parts start, a killed one starts again, and all stop in order', async () => {
  const stack = await home.start();
  assert.equal((await fetch(`${stack.addresses.service}/readyz`)).status, 200);
  const [first] = await home.pidsOf('service');
  process.kill(first ?? 0, 'SIGKILL');
  await until('a second life of the service', async () => (await home.pidsOf('service')).length === 2);
  await stack[Symbol.asyncDispose]();
  const stops = (await home.notes()).filter((line) => line.endsWith('stops'));
  assert.deepEqual(stops, ['service stops', 'worker stops', 'studio stops']);
});

test('the screen tells the addresses that a person types, and what to do where nobody has an account', async () => {
  const environment = {
    PUBLIC_URL: 'https://api.example.org',
    STUDIO_PUBLIC_URL: 'https://studio.example.org',
    DATA_DIR: path.join(home.path, 'public'),
  };
  const first: string[] = [];
  await (await home.start({ said: first, environment }))[Symbol.asyncDispose]();
  const text = first.join('\n');
  assert.match(text, /Console +https:\/\/api\.example\.org\/console$/m);
  assert.match(text, /API +https:\/\/api\.example\.org\/v1$/m);
  assert.match(text, /API contract +https:\/\/api\.example\.org\/openapi\.json$/m);
  assert.match(text, /Studio +https:\/\/studio\.example\.org$/m);
  assert.doesNotMatch(text, /127\.0\.0\.1|localhost/);
  assert.match(text, /^ {2}npm run operator -- account create --email you@example\.com$/m);
  // Shown while nobody has an account, and not afterwards.
  const second: string[] = [];
  await (await home.start({ said: second, environment }))[Symbol.asyncDispose]();
  assert.match(second.join('\n'), /account create --email you@example\.com$/m);
  await home.operator('account create --email ada@example.org', environment);
  const third: string[] = [];
  await (await home.start({ said: third, environment }))[Symbol.asyncDispose]();
  assert.doesNotMatch(third.join('\n'), /account create/);
});

test('secrets are kept for their owner alone, and used again', async () => {
  await (await home.start())[Symbol.asyncDispose]();
  const files = ['secret-key', 'studio-client-secret'].map((name) => path.join(home.path, name));
  const kept = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  for (const file of files)
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600);
  await (await home.start())[Symbol.asyncDispose]();
  assert.deepEqual(await Promise.all(files.map((file) => readFile(file, 'utf8'))), kept);
});

test('an operator command joins a stack that runs, and starts the database when none does', async () => {
  const stack = await home.start();
  const whileItRuns = await home.operator('account create --email ada@example.org --credits 12.5');
  assert.match(whileItRuns.text, /"email":"ada@example.org","tier":"free","credits":12.5,"monthly":0/);
  const { key } = JSON.parse(
    (await home.operator('key create --email ada@example.org --name first')).text,
  ) as {
    key: string;
  };
  assert.match(key, /^rk_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}$/);
  await stack[Symbol.asyncDispose]();
  // Two commands at once: the second waits for the first, which holds the database.
  const [keys, ledger] = await Promise.all([
    home.operator('key list --email ada@example.org'),
    home.operator('ledger check'),
  ]);
  assert.deepEqual(
    (JSON.parse(keys.text) as { name: string }[]).map(({ name }) => name),
    ['first'],
  );
  assert.deepEqual(ledger, { text: '{"differences":[]}', failed: false });
});

test('a second stack on the same directory is refused and the first goes on', async () => {
  await using stack = await home.start();
  await assert.rejects(home.start(), /Another stack runs on .*: stop it first, or set DATA_DIR/);
  assert.equal((await fetch(`${stack.addresses.service}/readyz`)).status, 200);
});

test('a busy port is named before anything starts', async () => {
  const busy = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => busy.once('listening', resolve));
  const { port } = busy.address() as { port: number };
  const elsewhere = path.join(home.path, 'elsewhere');
  await assert.rejects(
    home.start({ environment: { PORT: String(port), DATA_DIR: elsewhere } }),
    new RegExp(`Port ${port} on 127.0.0.1 is in use`),
  );
  await assert.rejects(stat(path.join(elsewhere, 'postgres')), { code: 'ENOENT' });
  busy.close();
});
