import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { recordPlace } from '@renderkit/studio/storage/media-place.ts';
import { startS3Counterpart } from '@renderkit/studio/storage/testing/s3-counterpart.ts';
import { readStackConfig } from '../src/config.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';
import type { Screen } from '../src/screen.ts';
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

test('a part that served and then cannot start is tried again for ever, and the others stay', async () => {
  const said: string[] = [];
  await using stack = await start({ said, entries: { worker: 'unsteady' } });
  const [serviceBefore] = (await pidsOf('service')).slice(-1);
  const [worker = 0] = (await pidsOf('unsteady')).slice(-1);
  const away = path.join(directory, 'away');
  await writeFile(away, '');
  process.kill(worker, 'SIGKILL');
  // One more than what would once have ended everything, and then some of them at the longest pause.
  await until(
    'six deaths',
    async () => (await notes()).filter((line) => line === 'unsteady dies').length >= 6,
  );
  await until('word of it', async () => said.some((line) => line.startsWith('worker is still down')));
  assert.equal((await fetch(`${stack.addresses.service}/readyz`)).status, 200);
  await rm(away);
  await until('its return', async () => said.some((line) => line.startsWith('worker is back, after')));
  assert.deepEqual((await pidsOf('service')).slice(-1), [serviceBefore]);
  const problems = said.filter((line) => line.startsWith('worker'));
  assert.match(problems[0] ?? '', /^worker ended by SIGKILL; it is started again$/);
  assert.match(problems[1] ?? '', /\(worker ended by exit code 3\).*worker\.log\.$/);
  assert.equal(problems.length, 3);
});

test('the screen tells the addresses that a person types, and what to do where nobody has an account', async () => {
  const environment = {
    PUBLIC_URL: 'https://api.example.org',
    STUDIO_PUBLIC_URL: 'https://studio.example.org',
    DATA_DIR: path.join(directory, 'public'),
  };
  const first: string[] = [];
  await (await start({ said: first, environment }))[Symbol.asyncDispose]();
  const text = first.join('\n');
  assert.match(text, /Console +https:\/\/api\.example\.org\/console$/m);
  assert.match(text, /API +https:\/\/api\.example\.org\/v1$/m);
  assert.match(text, /API contract +https:\/\/api\.example\.org\/openapi\.json$/m);
  assert.match(text, /Studio +https:\/\/studio\.example\.org$/m);
  assert.doesNotMatch(text, /127\.0\.0\.1|localhost/);
  assert.match(text, /^ {2}npm run operator -- account create --email you@example\.com$/m);
  // As long as nobody has one, and not after that.
  const second: string[] = [];
  await (await start({ said: second, environment }))[Symbol.asyncDispose]();
  assert.match(second.join('\n'), /account create --email you@example\.com$/m);
  await operator('account create --email ada@example.org', environment);
  const third: string[] = [];
  await (await start({ said: third, environment }))[Symbol.asyncDispose]();
  assert.doesNotMatch(third.join('\n'), /account create/);
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

test('a lost, empty or wrong key is refused at once over data that need it, and nothing is made up', async () => {
  await (await start())[Symbol.asyncDispose]();
  // A connection of an account is encrypted with it.
  await operator('account create --email grace@example.org');
  const file = path.join(directory, 'secret-key');
  const kept = await readFile(file, 'utf8');
  const noted = (await notes()).length;
  const missing = /secret-key is missing, and the database holds what was encrypted/;
  await rm(file);
  await assert.rejects(start(), missing);
  await assert.rejects(operator('account list'), missing);
  await assert.rejects(stat(file), { code: 'ENOENT' });
  for (const [content, said] of [
    [' \n', /secret-key is empty, and the database holds what was encrypted/],
    [kept.slice(0, 20), /secret-key holds no key of 64 hexadecimal characters: put the right one back/],
    ['ab'.repeat(32), /The key in .*secret-key is not the one that the secrets in the database/],
  ] as const) {
    await writeFile(file, content);
    await assert.rejects(start(), said);
    assert.equal(await readFile(file, 'utf8'), content);
  }
  await assert.rejects(
    start({ environment: { SECRET_KEY: 'ab'.repeat(32) } }),
    /^StackError: SECRET_KEY is not the one that the secrets in the database/,
  );
  assert.equal((await notes()).length, noted, 'no part was started');
  await writeFile(file, kept);
  await (await start({ environment: { SECRET_KEY: ' ' } }))[Symbol.asyncDispose]();
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
  const noted = (await notes()).length;
  await assert.rejects(
    start({ environment }),
    /^ConfigError: The bucket .* cannot be used: the secret is not/,
  );
  assert.equal((await notes()).length, noted);
});

test('a place of media that is not where the studio keeps them is refused before any part starts', async () => {
  await using storage = await startS3Counterpart();
  await using service = await createTestDatabase('service', { poolSize: 1 });
  await using studio = await createTestDatabase('studio', { poolSize: 1 });
  await recordPlace(studio.database, { dataDirectory: directory, s3: storage.config });
  const noted = (await notes()).length;
  const environment = {
    DATABASE_URL: service.url,
    STUDIO_DATABASE_URL: studio.url,
    DATA_DIR: path.join(directory, 'no-bucket'),
  };
  await assert.rejects(start({ environment }), /^ConfigError: This studio's media are kept in the bucket/);
  assert.equal((await notes()).length, noted);
});

test('a broken moderation file leaves the rules in force, which the screen says', async () => {
  const file = path.join(directory, 'moderation.json');
  await writeFile(file, '{"rules": [{"reason": "a", "phrases": ["b"]}]}');
  assert.equal((await operator(`moderation apply --file ${file}`)).failed, false);
  await writeFile(file, '{"rules": [{"reason": "a", "phrases": ["b"]}}');
  const said: string[] = [];
  await (await start({ said }))[Symbol.asyncDispose]();
  assert.match(said.join('\n'), /moderation\.json: .*cannot be used.*stay in force/);
  await rm(file);
});

test('a broken moderation file is refused where there are no rules yet, before any part starts', async (t) => {
  const fresh = await mkdtemp(path.join(tmpdir(), 'stack-'));
  t.after(() => rm(fresh, { recursive: true, force: true }));
  await writeFile(path.join(fresh, 'moderation.json'), '{"rules": [}');
  await assert.rejects(
    start({ environment: { DATA_DIR: fresh } }),
    /^ConfigError: The moderation rules in .*moderation.json cannot be used \(line 1 /,
  );
});

type StartOptions = {
  environment?: Record<string, string>;
  /** Collects what the screen tells. */
  said?: string[];
  entries?: Partial<Record<'studio' | 'worker' | 'service', string>>;
};

async function start(options: StartOptions = {}): Promise<Stack> {
  const part = (name: string) => fileURLToPath(new URL(`parts/${name}.ts`, import.meta.url));
  const config = readStackConfig({
    ...inheritedEnvironment(),
    DATA_DIR: directory,
    PORT: '0',
    STUDIO_PORT: '0',
    DEMO: 'off',
    ...options.environment,
  });
  return startStack(config, {
    screen: screenInto(options.said ?? []),
    signal: new AbortController().signal,
    entries: {
      studio: part(options.entries?.studio ?? 'studio'),
      worker: part(options.entries?.worker ?? 'worker'),
      service: part(options.entries?.service ?? 'service'),
    },
  });
}

function operator(
  line: string,
  environment: Record<string, string> = {},
): Promise<{ text: string; failed: boolean }> {
  return runOperator(commands, [...line.split(' '), '--json'], {
    ...inheritedEnvironment(),
    DATA_DIR: directory,
    ...environment,
  });
}

function screenInto(said: string[]): Screen {
  const tell = (text = '') => void said.push(text);
  return { line: tell, heading: tell, problem: tell };
}

async function notes(): Promise<string[]> {
  return (await readFile(path.join(directory, 'notes'), 'utf8')).trim().split('\n');
}

async function pidsOf(part: string): Promise<number[]> {
  return (await notes())
    .filter((line) => line.startsWith(`${part} starts`))
    .map((line) => Number(line.split(' ')[2]));
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await look()) return;
    await sleep(50);
  }
  assert.fail(`${what} did not come in 30 s`);
}
