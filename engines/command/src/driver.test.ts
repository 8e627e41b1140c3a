import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { makeMedia } from '@renderkit/engine-kit/driver-conformance.ts';
import type { BoundValue, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import { programFiles } from '@renderkit/engine-kit/supervised-program.ts';
import { argumentsOf } from './arguments.ts';
import { createCommandDriver } from './driver.ts';
import { progressIn } from './progress.ts';

const folder = mkdtempSync(join(tmpdir(), 'command-'));
after(() => rm(folder, { recursive: true, force: true }));
// Processes are identified by /proc.
const hasProcesses = { skip: process.platform !== 'linux' };
const never = new AbortController().signal;
const log = { warn: () => {}, debug: () => {} };
const backend = { name: 'here', url: '', headers: {}, secret: undefined, egressAllow: [] };
const connect = () => createCommandDriver({ backend, folder, log, pollMs: { first: 5, quiet: 20 } });

/** A program of a few lines; its arguments are `{out}` and then the other words. */
function jobOf(script: string, words: readonly string[], more: Partial<Route> = {}): EngineJob {
  const route: Route = {
    name: 'here',
    engine: 'command',
    on: ['here'],
    run: [process.execPath, '-e', script.replaceAll('{', '{{').replaceAll('}', '}}'), '{out}', ...words],
    set: {},
    outputs: { kind: 'image', max_per_job: 4, files: 'result*.txt' },
    ...more,
  };
  return { id: crypto.randomUUID(), route, files: new Map(), values: [], outputs: 4 };
}

async function follow(driver: ReturnType<typeof connect>, job: EngineJob, signal = never) {
  const own = await mkdtemp(join(folder, '../command-results-'));
  after(() => rm(own, { recursive: true, force: true }));
  const { id, route, files, outputs } = job;
  return Array.fromAsync(driver.follow(id, { id, route, files, outputs, folder: own }, signal));
}

async function run(job: EngineJob) {
  await using driver = connect();
  await driver.submit(await driver.prepare(job, never), job.id, never);
  return await follow(driver, job);
}

const tellsAll = `
  const { writeFileSync, readFileSync } = require('node:fs');
  const [out, ...words] = process.argv.slice(1);
  const seen = { words, env: process.env, cwd: process.cwd(), file: readFileSync(words.at(-1), 'utf8') };
  writeFileSync(out + '/result2.txt', JSON.stringify(seen));
  writeFileSync(out + '/result10.txt', 'later');
  writeFileSync(out + '/other.txt', '');`;

test('each word is one argument, no text is an option, and the environment is empty', async () => {
  const values: BoundValue[] = [
    { target: 'text', kind: 'plain', value: '-rf; $(touch x) "quoted"\nand more' },
    { target: 'seed', kind: 'plain', value: -1 },
    { target: 'image', kind: 'media', media: [makeMedia('image')], several: false },
  ];
  const job = jobOf(tellsAll, ['{text}', 's={seed}', '{image}'], { env: { MODE: 'quiet' } });
  const result = (await run({ ...job, values })).at(-1);
  assert.ok(result?.type === 'result');
  assert.equal(result.files.length, 2);
  const [seen, later] = await Promise.all(result.files.map(({ path }) => readFile(path, 'utf8')));
  const { words, env, cwd, file } = JSON.parse(seen ?? '');
  assert.deepEqual(words.slice(0, 2), [' -rf; $(touch x) "quoted"\nand more', 's=-1']);
  assert.deepEqual(Object.keys(env).sort(), ['MODE', 'PATH']);
  assert.equal(cwd, join(folder, job.id, 'out'));
  assert.deepEqual([file, later], ['picture image', 'later']);
});

test('a command goes on without the driver that started it, runs once, and is found again', async () => {
  const job = jobOf(
    `const { appendFileSync } = require('node:fs');
     setTimeout(() => appendFileSync(process.argv[1] + '/result.txt', 'ran'), 300);`,
    [],
  );
  {
    await using first = connect();
    const prepared = await first.prepare(job, never);
    assert.equal(await first.find(prepared, job.id, new Date(), never), 'absent');
    await first.submit(prepared, job.id, never);
  }
  await using second = connect();
  const prepared = await second.prepare(job, never);
  assert.deepEqual(await second.find(prepared, job.id, new Date(), never), { handle: job.id });
  await second.submit(prepared, job.id, never);
  const result = (await follow(second, job)).at(-1);
  assert.ok(result?.type === 'result' && result.files[0] !== undefined);
  assert.equal(await readFile(result.files[0].path, 'utf8'), 'ran');
});

test('a command that is looked for is about to begin, or never does until it is sent again', async () => {
  const job = jobOf(`require('node:fs').appendFileSync(process.argv[1] + '/result.txt', 'ran ')`, []);
  await using driver = connect();
  const prepared = await driver.prepare(job, never);
  const find = () => driver.find(prepared, job.id, new Date(), never);
  {
    // A supervisor holds the lock in the same way from its first moment.
    using lock = new DatabaseSync(join(folder, job.id, programFiles.lock));
    lock.exec('BEGIN EXCLUSIVE');
    await assert.rejects(find(), { name: 'EngineFailure', code: 'engine_unavailable' });
  }
  assert.equal(await find(), 'absent');
  assert.ok(existsSync(join(folder, job.id, programFiles.stop)), 'a supervisor that comes late is told');
  await driver.submit(prepared, job.id, never);
  const result = (await follow(driver, job)).at(-1);
  assert.ok(result?.type === 'result' && result.files[0] !== undefined);
  assert.equal(await readFile(result.files[0].path, 'utf8'), 'ran ');
});

test('a command runs once, whoever starts it at the same moment', async () => {
  const job = jobOf(`require('node:fs').appendFileSync(process.argv[1] + '/result.txt', 'ran ')`, []);
  await using one = connect();
  await using other = connect();
  const prepared = await one.prepare(job, never);
  await Promise.all([one, other, one].map((driver) => driver.submit(prepared, job.id, never)));
  const result = (await follow(other, job)).at(-1);
  assert.ok(result?.type === 'result' && result.files[0] !== undefined);
  assert.equal(await readFile(result.files[0].path, 'utf8'), 'ran ');
});

test('a command outlives a worker that is killed', async () => {
  const job = jobOf(
    `setTimeout(() => require('node:fs').writeFileSync(process.argv[1] + '/result.txt', 'alive'), 500);`,
    [],
  );
  const script = `
    const { createCommandDriver } = await import(${JSON.stringify(import.meta.resolve('./driver.ts'))});
    const driver = createCommandDriver({ folder: ${JSON.stringify(folder)}, log: console });
    const job = { ...${JSON.stringify(job)}, files: new Map() };
    const { signal } = new AbortController();
    await driver.submit(await driver.prepare(job, signal), job.id, signal);
    process.kill(process.pid, 'SIGKILL');`;
  const worker = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  await once(worker, 'exit');
  await using driver = connect();
  const result = (await follow(driver, job)).at(-1);
  assert.ok(result?.type === 'result' && result.files[0] !== undefined);
  assert.equal(await readFile(result.files[0].path, 'utf8'), 'alive');
});

test('a stop ends the whole group', hasProcesses, async () => {
  const job = jobOf(
    `const { spawn } = require('node:child_process');
     const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
     require('node:fs').writeFileSync(process.argv[1] + '/child', String(child.pid));
     setInterval(() => {}, 1000);`,
    [],
  );
  await using driver = connect();
  await driver.submit(await driver.prepare(job, never), job.id, never);
  const file = join(folder, job.id, 'out/child');
  let child = '';
  while (child === '') {
    child = await readFile(file, 'utf8').catch(() => '');
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await driver.cancel(job.id, never), 'canceled');
  // The child gets the same signal, but dies only when it is next scheduled. It may then be a zombie that no process
  // has reaped.
  let state = '';
  while (!/\) [ZX]/.test(state)) {
    state = await readFile(`/proc/${child}/stat`, 'utf8').catch(() => ') Z');
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await driver.cancel(job.id, never), 'canceled');
  await assert.rejects(follow(driver, job), { blame: 'backend', code: 'render_failed' });
});

test(
  'a command whose supervisor is killed is ended, and made anew where the route says so',
  hasProcesses,
  async () => {
    const job = jobOf('setInterval(() => {}, 1000);', [], { on_unknown: 'retry' });
    await using driver = connect();
    await driver.submit(await driver.prepare(job, never), job.id, never);
    const known = join(folder, job.id, 'process.json');
    let command: { pid: number } | undefined;
    while (command === undefined) {
      command = await readFile(known, 'utf8').then(JSON.parse, () => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const stat = await readFile(`/proc/${command.pid}/stat`, 'utf8');
    process.kill(Number(stat.split(') ')[1]?.split(' ')[1]), 'SIGKILL');
    await assert.rejects(follow(driver, job), { blame: 'backend', code: 'render_failed' });
  },
);

test('a failure has the last words of standard error, and a program that is not there is the pair’s fault', async () => {
  await assert.rejects(run(jobOf(`console.error('no such model'); process.exit(3)`, [])), {
    message: 'The command ended with 3: no such model',
    blame: 'backend',
  });
  const missing = jobOf('', [], { run: ['/no/such/program'] });
  await assert.rejects(run(missing), { blame: 'pair', message: 'The command could not be run (ENOENT).' });
  await assert.rejects(run(jobOf('', [])), { badResult: true });
  await using driver = connect();
  assert.deepEqual(
    (await driver.check(missing, never)).map(({ code }) => code),
    ['file_missing'],
  );
  assert.deepEqual(await driver.check(jobOf('', []), never), []);
});

test('placeholders are filled, alone and among other words', () => {
  const words = new Map([
    ['text', ['a b']],
    ['images', ['1', '2']],
    ['none', []],
  ]);
  assert.deepEqual(
    argumentsOf(['{text}', 'x={text}', '{images}', '{none}', '{{text}}', '--n={none}'], words),
    ['a b', 'x=a b', '1', '2', '{text}', '--n='],
  );
});

test('progress is the last that was printed', () => {
  assert.deepEqual(progressIn('1/20\r 5/20\r', '(\\d+)/(\\d+)'), { fraction: 0.25, step: 5, steps: 20 });
  assert.deepEqual(progressIn('at 40 %', '(\\d+) %'), { fraction: 0.4 });
  assert.deepEqual(progressIn('loading', '(\\d+)/(\\d+)'), {});
});
