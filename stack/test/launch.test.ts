import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';

const launcher = path.resolve(import.meta.dirname, '../launch.mjs');
const unixOnly = { skip: process.platform === 'win32' };
let directory: string;
before(async () => (directory = await mkdtemp(path.join(tmpdir(), 'renderkit-launch-'))));
after(() => rm(directory, { recursive: true, force: true }));

/** Runs a program, given as TypeScript text, through the launcher. */
async function launch(program: string, environment: Record<string, string> = {}): Promise<ChildProcess> {
  const file = path.join(directory, 'program.ts');
  await writeFile(file, program);
  const { npm_lifecycle_event: _, ...env } = process.env;
  const relative = path.relative(path.resolve(import.meta.dirname, '../..'), file);
  return spawn(process.execPath, [launcher, '--dev', relative, 'an argument'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, ...environment },
  });
}

const untilStopped = (note: string) => `
  import { writeFileSync } from 'node:fs';
  const end = (why) => { writeFileSync(${JSON.stringify(note)}, why); process.exit(0); };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
  process.on('disconnect', () => end('disconnect'));
  console.log('runs');
  setInterval(() => undefined, 1000);`;

async function noteIn(file: string): Promise<string> {
  const read = () => readFile(file, 'utf8').catch(() => '');
  return until('the note', read, { isSo: (text) => text !== '' });
}

test('the program gets its arguments and a compile cache, and its exit code comes out', async () => {
  const child = await launch(
    'console.log(process.argv[2], process.env.NODE_COMPILE_CACHE !== undefined); process.exit(7)',
  );
  const [output] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  const [code] = (await once(child, 'exit')) as [number];
  assert.equal(output.toString(), 'an argument true\n');
  assert.equal(code, 7);
});

test('a signal goes to the program', unixOnly, async () => {
  const note = path.join(directory, 'signal');
  const child = await launch(untilStopped(note));
  await once(child.stdout ?? child, 'data');
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal(await noteIn(note), 'SIGINT');
});

test('the program learns that its launcher was killed', unixOnly, async () => {
  const note = path.join(directory, 'killed');
  const child = await launch(untilStopped(note));
  await once(child.stdout ?? child, 'data');
  child.kill('SIGKILL');
  assert.equal(await noteIn(note), 'disconnect');
});

test('the program is stopped when npm was killed and told nobody', unixOnly, async () => {
  const note = path.join(directory, 'npm');
  await writeFile(path.join(directory, 'program.ts'), untilStopped(note));
  const relative = path.relative(
    path.resolve(import.meta.dirname, '../..'),
    path.join(directory, 'program.ts'),
  );
  // As under npm: a process, a separate shell, and the launcher.
  const npm = spawn(
    'sh',
    [
      '-c',
      `sh -c '"$0" "$1" --dev "$2"; exit $?' "$0" "$1" "$2"; exit $?`,
      process.execPath,
      launcher,
      relative,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, npm_lifecycle_event: 'start' },
    },
  );
  await once(npm.stdout, 'data');
  npm.kill('SIGKILL');
  assert.equal(await noteIn(note), 'SIGTERM');
});
