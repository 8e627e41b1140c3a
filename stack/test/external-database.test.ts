import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { readStackConfig } from '../src/config.ts';
import { prepareDatabases } from '../src/databases.ts';
import { ensureSecrets } from '../src/stored-secrets.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';
import { unprivilegedAccount } from '../src/postgres/os-account.ts';

/** The oldest supported PostgreSQL, as packaged by Debian. */
const programs = '/usr/lib/postgresql/15/bin';
const skip = !existsSync(path.join(programs, 'postgres')) && 'PostgreSQL 15 is not installed here';

let root: string;
let server: ReturnType<typeof spawn>;

before(async () => {
  if (skip !== false) return;
  root = await mkdtemp(path.join(tmpdir(), 'renderkit-external-'));
  await chmod(root, 0o711);
  const account = await unprivilegedAccount();
  const data = path.join(await mkdtemp(path.join(root, 'pg-')), 'data');
  if (account !== undefined) await chown(path.dirname(data), account.uid, account.gid);
  const run = { ...account, cwd: '/', stdio: 'ignore' as const };
  const made = spawnSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'boss', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    run,
  );
  assert.equal(made.status, 0);
  const directory = path.dirname(data);
  server = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${directory}`],
    run,
  );
  address = (database) => `postgresql://boss@${encodeURIComponent(directory)}/${database}`;
  const says = () => readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  await until('PostgreSQL', says, { isSo: (text) => text.includes('ready') });
  await ask('postgres', 'create database service');
  await ask('postgres', 'create database studio');
});

after(async () => {
  if (skip !== false) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGINT');
  await gone;
  await rm(root, { recursive: true, force: true });
});

let address: (database: string) => string;

async function ask(database: string, statement: string): Promise<void> {
  await using opened = openDatabase({ url: address(database), applicationName: 'test', poolSize: 1 });
  await opened.rows(statement);
}

const environment = (more: Record<string, string> = {}) => ({
  DATABASE_URL: address('service'),
  STUDIO_DATABASE_URL: address('studio'),
  DATA_DIR: path.join(root, 'data'),
  ...more,
});

test('migrations and operator commands work on an external PostgreSQL 15', { skip }, async () => {
  const key = { SECRET_KEY: 'ab'.repeat(32) };
  await runOperator(commands, ['account', 'create', '--email', 'ada@example.org'], environment(key));
  const made = await runOperator(
    commands,
    ['key', 'create', '--email', 'ada@example.org', '--name', 'k', '--json'],
    environment(key),
  );
  assert.match(made.text, /"key":"rk_live_/);
  await assert.rejects(
    runOperator(commands, ['backup', '--to', path.join(root, 'b')], environment(key)),
    /The databases are external. Back them up with PostgreSQL's own tools/,
  );
});

test('a key is never made up for data that others hold', { skip }, async () => {
  const config = readStackConfig(environment());
  const urls = { service: address('service'), studio: address('studio') };
  await assert.rejects(
    ensureSecrets(config, urls),
    /SECRET_KEY is not set, .*secret-key is missing, and the database holds what was encrypted/,
  );
});

test('a database that would lose what it committed is refused', { skip }, async () => {
  await ask('postgres', 'alter database studio set synchronous_commit = off');
  await assert.rejects(
    prepareDatabases({ service: address('service'), studio: address('studio') }),
    /PostgreSQL has synchronous_commit off for the database of the studio/,
  );
  await ask('postgres', 'alter database studio reset synchronous_commit');
});
