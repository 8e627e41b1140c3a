import assert from 'node:assert/strict';
import { type ChildProcess, execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { type Postgres, startPostgres } from '../src/postgres/start-postgres.ts';

const run = promisify(execFile);
/** Windows has no signals and no `ps`, so the tests cannot kill and find processes there. */
const unixOnly = { skip: process.platform === 'win32' };
let directory: string;

before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-postgres-'));
  await chmod(directory, 0o711);
});
after(() => rm(directory, { recursive: true, force: true }));

test('a new cluster speaks UTF-8, UTC and keeps what it commits', async () => {
  await using postgres = await startHere();
  const settings = await ask(
    postgres.urlFor('service'),
    `select current_user as role, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as commit, current_setting('timezone') as zone,
            current_setting('server_encoding') as encoding, current_setting('listen_addresses') as addresses,
            (select datlocprovider::text || datlocale from pg_database where datname = current_database()) as locale`,
  );
  assert.deepEqual(settings, {
    role: 'service',
    fsync: 'on',
    commit: 'on',
    zone: 'UTC',
    encoding: 'UTF8',
    addresses: process.platform === 'win32' ? '127.0.0.1' : '',
    locale: 'bC.UTF-8',
  });
});

test('one role cannot enter the database of another', async () => {
  await using postgres = await startHere();
  const elsewhere = postgres.urlFor('service').replace(/\/service$/, '/studio');
  await assert.rejects(ask(elsewhere, 'select 1'), /permission denied/);
});

test('a password file that was lost, emptied or changed is named, and left alone', async () => {
  await (await startHere())[Symbol.asyncDispose]();
  const file = path.join(directory, 'postgres', 'password');
  const kept = await readFile(file, 'utf8');
  for (const content of ['', 'another one']) {
    await writeFile(file, content);
    await assert.rejects(
      startHere(),
      /^StackError: .*password does not hold the password .*: put the file back/,
    );
    assert.equal(await readFile(file, 'utf8'), content);
  }
  await rm(file);
  await assert.rejects(startHere(), /^StackError: .*password does not hold the password/);
  await writeFile(file, kept);
  await (await startHere())[Symbol.asyncDispose]();
});

test('a killed server is started again by its supervisor', unixOnly, async () => {
  const reasons: string[] = [];
  await using postgres = await startHere((reason) => reasons.push(reason));
  process.kill(await serverPid(postgres), 'SIGKILL');
  await until(
    'an answer',
    async () => {
      await ask(postgres.urlFor('service'), 'select 1');
      return reasons.length > 0;
    },
    { retryErrors: true },
  );
  assert.match(reasons[0] ?? '', /SIGKILL/);
});

test('a server that is killed again and again is started for ever', unixOnly, async () => {
  await using postgres = await startHere();
  // More kills than the limit for a server that never served.
  for (let kills = 0, last = 0; kills < 7; kills++) {
    await until(
      'a server that serves',
      async () => {
        await ask(postgres.urlFor('service'), 'select 1');
        return (await serverPid(postgres)) !== last;
      },
      { retryErrors: true },
    );
    last = await serverPid(postgres);
    process.kill(last, 'SIGKILL');
  }
  await until(
    'an answer',
    async () => (await ask(postgres.urlFor('service'), 'select 42 as a'))['a'] === 42,
    { retryErrors: true },
  );
});

test('a killed supervisor is replaced, and its server with it', unixOnly, async () => {
  await using postgres = await startHere();
  const first = await serverPid(postgres);
  process.kill(await parentOf(first), 'SIGKILL');
  await until('a new server', async () => (await serverPid(postgres)) !== first, { retryErrors: true });
  await until(
    'an answer',
    async () => (await ask(postgres.urlFor('service'), 'select 42 as a'))['a'] === 42,
    { retryErrors: true },
  );
});

test('a server that outlived everybody is found by connecting, and ended', unixOnly, async () => {
  const { parent, server } = await startInChild();
  const supervisor = await parentOf(server);
  parent.kill('SIGKILL');
  process.kill(supervisor, 'SIGKILL');
  await using postgres = await startHere();
  assert.notEqual(await serverPid(postgres), server);
  await until('its end', async () => !(await runs(server)));
});

test('the server ends in order when only its parent is killed', unixOnly, async () => {
  const { parent, server } = await startInChild();
  parent.kill('SIGKILL');
  await until('its end', async () => !(await runs(server)));
  const log = await readFile(path.join(directory, 'logs', 'postgres.log'), 'utf8');
  assert.match(log.trimEnd().split('\n').at(-1) ?? '', /database system is shut down/);
});

function startHere(onDown?: (reason: string) => void): Promise<Postgres> {
  return startPostgres({
    dataDirectory: directory,
    databases: ['service', 'studio'],
    ...(onDown && { onDown }),
  });
}

/** Starts the server from a process that a test can kill. */
async function startInChild(): Promise<{ parent: ChildProcess; server: number }> {
  const module = new URL('../src/postgres/start-postgres.ts', import.meta.url).href;
  const script = `
    const { startPostgres } = await import(${JSON.stringify(module)});
    const postgres = await startPostgres({ dataDirectory: ${JSON.stringify(directory)}, databases: [] });
    console.log(postgres.clusterDirectory);
    setInterval(() => undefined, 1000);`;
  const parent = execFile(process.execPath, ['--input-type=module', '-e', script]);
  const clusterDirectory = await new Promise<string>((resolve) =>
    parent.stdout?.once('data', (line) => resolve(String(line).trim())),
  );
  return { parent, server: await serverPid({ clusterDirectory }) };
}

async function ask(url: string, query: string): Promise<Record<string, unknown>> {
  await using database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  const [row] = await database.rows(query);
  return row ?? {};
}

/** Returns the server's process id from its pid file. */
async function serverPid(postgres: Pick<Postgres, 'clusterDirectory'>): Promise<number> {
  const pidFile = await readFile(path.join(postgres.clusterDirectory, 'postmaster.pid'), 'utf8');
  return Number(pidFile.split('\n')[0]);
}

async function parentOf(pid: number): Promise<number> {
  return Number((await run('ps', ['-o', 'ppid=', '-p', String(pid)])).stdout);
}

/** Returns whether a process exists and is not a zombie. */
async function runs(pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
