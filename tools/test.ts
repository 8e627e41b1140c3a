// Runs the tests: `node tools/test.ts [--quick] [--name PATTERN] [--costs] [files or folders…]`. One embedded PostgreSQL cluster for
// the whole run, with migrated template databases, in a temporary directory that is removed at the end.

import { chmod, glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { migrateService } from '@renderkit/service/migrate.ts';
import { startPostgres } from '@renderkit/stack/postgres/start-postgres.ts';
import { migrateStudio } from '@renderkit/studio/migrate.ts';

const root = path.resolve(import.meta.dirname, '..');
const workspaces = [
  'contract',
  'server-kit',
  'egress',
  'media-kit',
  'engines',
  'identity',
  'service',
  'studio',
  'stack',
  'console',
  'bench',
  'e2e',
  'tools',
];
/** One file may take this long; the chaos run is the longest. */
const fileTimeoutMs = 300_000;
/** More than two cores could work at: several files wait for leases and time-outs most of their time. */
const filesAtOnce = 3;

/** What a run costs is shown at its end, so that it is noticed when a file grows slow. */
const slowestShown = 10;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
process.on('disconnect', () => stopping.abort());

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    /** Of those tests alone whose full name this regular expression finds. */
    name: { type: 'string' },
    /** What every file cost, not the slowest alone. */
    costs: { type: 'boolean' },
  },
});
const chosen = await testFiles(positionals, values.quick ?? false);
if (chosen.length === 0) {
  console.error('There are no test files there.');
  process.exitCode = 1;
} else process.exitCode = await withCluster((url, directory) => runFiles(chosen, url, directory));
if (process.connected) process.disconnect();

async function testFiles(wanted: string[], quick: boolean): Promise<string[]> {
  const patterns = (wanted.length > 0 ? wanted : workspaces).map((name) =>
    name.endsWith('.ts') ? name : `${name.replace(/\/$/, '')}/**/*.test.ts`,
  );
  const found: string[] = [];
  for await (const file of glob(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') }))
    found.push(file);
  const kept = quick ? found.filter((file) => weightOf(file) === 0) : found;
  // The long ones first, or the last of them would run alone at the end.
  return kept.sort((a, b) => weightOf(b) - weightOf(a) || (a < b ? -1 : 1));
}

/** 2: minutes of waiting. 1: servers over HTTP, the whole product, pictures. 0: the rest, which --quick keeps to. */
function weightOf(file: string): 0 | 1 | 2 {
  if (file.endsWith('.slow.test.ts') || /^e2e\/(chaos\/chaos|races|spec\/spec)/.test(file)) return 2;
  return /^(e2e|[a-z-]+\/test|engines)\//.test(file) ? 1 : 0;
}

async function withCluster(work: (url: string, directory: string) => Promise<number>): Promise<number> {
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
    return await work(postgres.superuserUrl, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function makeTemplates(url: string): Promise<void> {
  await using cluster = openDatabase({ url, applicationName: 'test', poolSize: 1, statementTimeoutMs: 0 });
  // There are many databases, each for a moment: visiting them so often costs more than it finds.
  await cluster.rows(`alter system set autovacuum_naptime = '1min'`);
  await cluster.rows('select pg_reload_conf()');
  for (const part of ['empty', 'service', 'studio']) await cluster.rows(`create database template_${part}`);
  const template = (part: string) => url.replace(/\/postgres$/, `/template_${part}`);
  await Promise.all([migrateService(template('service')), migrateStudio(template('studio'))]);
}

/** Each file in a process of its own. Returns the exit code. */
function runFiles(files: string[], url: string, directory: string): Promise<number> {
  process.env['TEST_POSTGRES_URL'] = url;
  const cpuFile = path.join(directory, 'cpu');
  process.env['TEST_CPU_FILE'] = cpuFile;
  const tests = run({
    files: files.map((file) => path.join(root, file)),
    cwd: root,
    concurrency: filesAtOnce,
    timeout: fileTimeoutMs,
    signal: stopping.signal,
    execArgv: ['--import', path.join(root, 'tools/report-cpu.ts')],
    ...(values.name !== undefined && { testNamePatterns: [new RegExp(values.name)] }),
  });
  let failed = false;
  const seconds = new Map<string, number>();
  tests.on('test:fail', () => (failed = true));
  tests.on('test:complete', ({ name, file, details }) => {
    if (name === file) seconds.set(path.relative(root, file), details.duration_ms / 1000);
  });
  tests.compose(new spec()).pipe(process.stdout);
  return new Promise((resolve) => {
    tests.once('end', () => {
      if (files.length > 1) void readCpu(cpuFile).then((cpu) => showSlowest(seconds, cpu));
      resolve(failed || stopping.signal.aborted ? 1 : 0);
    });
    tests.once('error', () => resolve(1));
  });
}

/** Seconds of CPU by file, children included; without those of the shared PostgreSQL. */
async function readCpu(file: string): Promise<Map<string, number>> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [name = '', seconds] = line.split('\t');
      return [path.relative(root, name), Number(seconds)];
    }),
  );
}

function showSlowest(seconds: ReadonlyMap<string, number>, cpu: ReadonlyMap<string, number>): void {
  const format = (value: number | undefined) => (value === undefined ? '?' : value.toFixed(1)).padStart(8);
  const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
  console.log('\nThe slowest files:\n seconds     CPU');
  const slowest = [...seconds].sort(([, a], [, b]) => b - a);
  for (const [file, taken] of values.costs ? slowest : slowest.slice(0, slowestShown))
    console.log(`${format(taken)}${format(cpu.get(file))}  ${file}`);
  console.log(`${format(sum(seconds.values()))}${format(sum(cpu.values()))}  all ${seconds.size} files`);
}
