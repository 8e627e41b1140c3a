import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readStackConfig } from '../src/config.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';
import { createScreen, type Screen } from '../src/screen.ts';
import { type Stack, startStack } from '../src/start-stack.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-stack-'));
  await chmod(directory, 0o711);
});
after(() => rm(directory, { recursive: true, force: true }));

test('parts start, a killed one starts again, and all stop in order', async () => {
  const stack = await start();
  assert.equal((await fetch(`${stack.addresses.service}/readyz`)).status, 200);
  const [first] = await pidsOf('service');
  process.kill(first ?? 0, 'SIGKILL');
  await until('a second life of the service', async () => (await pidsOf('service')).length === 2);
  await stack[Symbol.asyncDispose]();
  const stops = (await notes()).filter((line) => line.endsWith('stops'));
  assert.deepEqual(stops, ['service stops', 'worker stops', 'studio stops']);
});

test('secrets are kept for their owner alone, and used again', async () => {
  await (await start())[Symbol.asyncDispose]();
  const files = ['secret-key', 'studio-client-secret'].map((name) => path.join(directory, name));
  const kept = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  for (const file of files)
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600);
  await (await start())[Symbol.asyncDispose]();
  assert.deepEqual(await Promise.all(files.map((file) => readFile(file, 'utf8'))), kept);
});

test('an operator command joins a stack that runs, and starts the database when none does', async () => {
  const stack = await start();
  const whileItRuns = await operator('account create --email ada@example.org --credits 12.5');
  assert.match(whileItRuns.text, /"email":"ada@example.org","tier":"free","credits":12.5,"monthly":0/);
  const { key } = JSON.parse((await operator('key create --email ada@example.org --name first')).text) as {
    key: string;
  };
  assert.match(key, /^rk_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}$/);
  await stack[Symbol.asyncDispose]();
  // Two at once: the second waits for the first, which owns the database.
  const [keys, ledger] = await Promise.all([
    operator('key list --email ada@example.org'),
    operator('ledger check'),
  ]);
  assert.deepEqual(
    (JSON.parse(keys.text) as { name: string }[]).map(({ name }) => name),
    ['first'],
  );
  assert.deepEqual(ledger, { text: '{"differences":[]}', failed: false });
});

test('a second stack on the same directory is refused and the first goes on', async () => {
  await using stack = await start();
  await assert.rejects(start(), /Another stack runs on .*: stop it first, or set DATA_DIR/);
  assert.equal((await fetch(`${stack.addresses.service}/readyz`)).status, 200);
});

test('a busy port is named before anything starts', async () => {
  const busy = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => busy.once('listening', resolve));
  const { port } = busy.address() as { port: number };
  const elsewhere = path.join(directory, 'elsewhere');
  await assert.rejects(
    start({ environment: { PORT: String(port), DATA_DIR: elsewhere } }),
    new RegExp(`Port ${port} on 127.0.0.1 is in use`),
  );
  await assert.rejects(stat(path.join(elsewhere, 'postgres')), { code: 'ENOENT' });
  busy.close();
});

async function start(options: { environment?: Record<string, string> } = {}): Promise<Stack> {
  const part = (name: string) => fileURLToPath(new URL(`parts/${name}.ts`, import.meta.url));
  const config = readStackConfig({
    PATH: process.env['PATH'],
    DATA_DIR: directory,
    PORT: '0',
    STUDIO_PORT: '0',
    DEMO: 'off',
    ...options.environment,
  });
  return startStack(config, {
    screen: silent,
    signal: new AbortController().signal,
    entries: { studio: part('studio'), worker: part('worker'), service: part('service') },
  });
}

function operator(line: string): Promise<{ text: string; failed: boolean }> {
  return runOperator(commands, [...line.split(' '), '--json'], {
    PATH: process.env['PATH'],
    DATA_DIR: directory,
  });
}

const silent: Screen = {
  ...createScreen(process.stdout),
  line: () => undefined,
  heading: () => undefined,
  problem: () => undefined,
};

async function notes(): Promise<string[]> {
  return (await readFile(path.join(directory, 'notes'), 'utf8')).trim().split('\n');
}

async function pidsOf(part: string): Promise<number[]> {
  return (await notes())
    .filter((line) => line.startsWith(`${part} starts`))
    .map((line) => Number(line.split(' ')[2]));
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await look()) return;
    await sleep(50);
  }
  assert.fail(`${what} did not come in 10 s`);
}
