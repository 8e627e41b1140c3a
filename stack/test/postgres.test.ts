import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openDatabase } from '@renderkit/server-kit/database.ts';
import { type Postgres, startPostgres } from '../src/postgres/start-postgres.ts';

const run = promisify(execFile);
let directory: string;

before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-postgres-'));
  await chmod(directory, 0o711);
});
after(() => rm(directory, { recursive: true, force: true }));

const start = (onDown?: (reason: string) => void) =>
  startPostgres({ dataDirectory: directory, databases: ['service', 'studio'], ...(onDown && { onDown }) });

async function ask<Row extends Record<string, unknown>>(url: string, query: string): Promise<Row> {
  await using database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  const [row] = await database.rows<Row>(query);
  assert.ok(row !== undefined);
  return row;
}

/** The server's process number, as its own file says. */
async function serverPid(postgres: Postgres): Promise<number> {
  return Number(
    (await readFile(path.join(postgres.clusterDirectory, 'postmaster.pid'), 'utf8')).split('\n')[0],
  );
}

async function parentOf(pid: number): Promise<number> {
  return Number((await run('ps', ['-o', 'ppid=', '-p', String(pid)])).stdout);
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await look().catch(() => false)) return;
    await sleep(50);
  }
  assert.fail(`${what} did not happen in 15 s`);
}

test('a new cluster speaks UTF-8, UTC and keeps what it commits', async () => {
  await using postgres = await start();
  const settings = await ask<Record<string, string>>(
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

test('one role cannot open the other database as its owner', async () => {
  await using postgres = await start();
  const stranger = postgres.urlFor('service').replace(/\/service$/, '/studio');
  await assert.rejects(ask(stranger, 'create table intruder (id int)'));
});

test('a killed server is started again by its keeper', { skip: process.platform === 'win32' }, async () => {
  const reasons: string[] = [];
  await using postgres = await start((reason) => reasons.push(reason));
  process.kill(await serverPid(postgres), 'SIGKILL');
  await until('an answer', async () => {
    await ask(postgres.urlFor('service'), 'select 1');
    return reasons.length > 0;
  });
  assert.match(reasons[0] ?? '', /SIGKILL/);
});

test(
  'a killed keeper leaves a server that the next keeper ends and replaces',
  { skip: process.platform === 'win32' },
  async () => {
    await using postgres = await start();
    await ask(postgres.urlFor('service'), 'create table kept as select 42 as answer');
    const before = await serverPid(postgres);
    process.kill(await parentOf(before), 'SIGKILL');
    await until('a new server', async () => (await serverPid(postgres)) !== before);
    await until(
      'an answer',
      async () => (await ask(postgres.urlFor('service'), 'select answer from kept'))['answer'] === 42,
    );
  },
);

test(
  'a server orphaned by everybody is found by connecting, and ended',
  { skip: process.platform === 'win32' },
  async () => {
    const script = `
    const { startPostgres } = await import(${JSON.stringify(new URL('../src/postgres/start-postgres.ts', import.meta.url).href)});
    const postgres = await startPostgres({ dataDirectory: ${JSON.stringify(directory)}, databases: [] });
    console.log(postgres.clusterDirectory);
    setInterval(() => undefined, 1000);`;
    const child = execFile(process.execPath, ['--input-type=module', '-e', script]);
    const cluster = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (line) => resolve(String(line).trim())),
    );
    const orphan = Number((await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    const keeper = await parentOf(orphan);
    child.kill('SIGKILL');
    process.kill(keeper, 'SIGKILL');
    await using postgres = await start();
    assert.notEqual(await serverPid(postgres), orphan);
    assert.throws(() => process.kill(orphan, 0), { code: 'ESRCH' });
  },
);

test(
  'the server ends in order when only its parent is killed',
  { skip: process.platform === 'win32' },
  async () => {
    const script = `
    const { startPostgres } = await import(${JSON.stringify(new URL('../src/postgres/start-postgres.ts', import.meta.url).href)});
    const postgres = await startPostgres({ dataDirectory: ${JSON.stringify(directory)}, databases: [] });
    console.log(postgres.clusterDirectory);
    setInterval(() => undefined, 1000);`;
    const child = execFile(process.execPath, ['--input-type=module', '-e', script]);
    const cluster = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (line) => resolve(String(line).trim())),
    );
    const server = Number((await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    child.kill('SIGKILL');
    await until('the end', async () => {
      try {
        process.kill(server, 0);
        return false;
      } catch {
        return true;
      }
    });
    const log = await readFile(path.join(directory, 'logs', 'postgres.log'), 'utf8');
    assert.match(log.trimEnd().split('\n').at(-1) ?? '', /database system is shut down/);
  },
);
