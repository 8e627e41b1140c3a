// Runs the tests: `node tools/test.ts [--quick] [files or folders…]`. One embedded PostgreSQL cluster for the whole
// run, with migrated template databases, in a temporary directory that is removed at the end.

import { spawn } from 'node:child_process';
import { chmod, glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '@renderkit/server-kit/database.ts';
import { migrateService } from '@renderkit/service/migrate.ts';
import { startPostgres } from '@renderkit/stack/postgres/start-postgres.ts';
import { migrateStudio } from '@renderkit/studio/migrate.ts';

const root = path.resolve(import.meta.dirname, '..');
const workspaces = ['contract', 'server-kit', 'service', 'studio', 'stack', 'bench', 'e2e', 'tools'];
/** One file may take this long; the chaos run is the longest. */
const fileTimeoutMs = 300_000;
/** Two files at a time: half of the machine is for PostgreSQL and the servers that tests start. */
const filesAtOnce = 2;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
process.on('disconnect', () => stopping.abort());

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' } },
});
const chosen = await testFiles(positionals, values.quick ?? false);
if (chosen.length === 0) {
  console.error('There are no test files there.');
  process.exitCode = 1;
} else process.exitCode = await withCluster((url) => runFiles(chosen, url));
if (process.connected) process.disconnect();

async function testFiles(wanted: string[], quick: boolean): Promise<string[]> {
  const patterns = (wanted.length > 0 ? wanted : workspaces).map((name) =>
    name.endsWith('.ts') ? name : `${name.replace(/\/$/, '')}/**/*.test.ts`,
  );
  const found: string[] = [];
  for await (const file of glob(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') }))
    found.push(file);
  const slow = (file: string) => file.startsWith('e2e') || file.endsWith('.slow.test.ts');
  return found.filter((file) => !(quick && slow(file))).sort();
}

async function withCluster(work: (url: string) => Promise<number>): Promise<number> {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-test-'));
  try {
    // As root, the server's account has to pass through.
    await chmod(directory, 0o711);
    await using postgres = await startPostgres({
      dataDirectory: directory,
      databases: [],
      onDown: (reason) => console.error(`${reason}; it is started again`),
    });
    await makeTemplates(postgres.superuserUrl);
    return await work(postgres.superuserUrl);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function makeTemplates(url: string): Promise<void> {
  await using cluster = openDatabase({ url, applicationName: 'test', poolSize: 1, statementTimeoutMs: 0 });
  for (const part of ['empty', 'service', 'studio']) await cluster.rows(`create database template_${part}`);
  const template = (part: string) => url.replace(/\/postgres$/, `/template_${part}`);
  await Promise.all([migrateService(template('service')), migrateStudio(template('studio'))]);
}

function runFiles(files: string[], url: string): Promise<number> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${filesAtOnce}`, `--test-timeout=${fileTimeoutMs}`, ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...env, TEST_POSTGRES_URL: url, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
    },
  );
  const stop = () => child.kill('SIGTERM');
  if (stopping.signal.aborted) stop();
  stopping.signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
