import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { mediaEnvironment } from '@renderkit/media-kit/config.ts';
import { tryLock } from '@renderkit/server-kit/files/file-lock.ts';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { EngineFailure } from './driver.ts';
import { programFiles, readProgramState, startProgram, withdrawProgram } from './supervised-program.ts';

const root = mkdtempSync(join(tmpdir(), 'supervised-program-'));
after(() => rm(root, { recursive: true, force: true }));
const never = new AbortController().signal;
const short = { beginMs: 300, lockMs: 50 };

async function makeProgram() {
  const folder = await mkdtemp(join(root, 'one-'));
  const out = join(folder, 'out');
  const script = `require('node:fs').appendFileSync(${JSON.stringify(out)}, 'ran ')`;
  return { folder, out, program: { run: [process.execPath, '-e', script], env: {}, cwd: folder } };
}

/** Makes a program whose start was given up: its deadline has passed before it begins, as on a very slow machine. */
async function makeProgramGivenUp() {
  for (;;) {
    const made = await makeProgram();
    const start = startProgram(made.folder, made.program, never, { ...short, beginMs: -1 });
    const error = await start.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof EngineFailure) return { ...made, error };
    // On a busy machine the supervisor may begin before this process looks at the deadline.
    assert.equal(error, undefined);
  }
}

/** Runs the supervisor of a start that was given up, late. */
async function superviseLate(folder: string): Promise<void> {
  const module = programFile(join(import.meta.dirname, 'supervisor-process.ts'));
  const options = { stdio: 'ignore', env: mediaEnvironment() } as const;
  await once(spawn(process.execPath, [module, folder], options), 'exit');
}

async function untilEnded(folder: string): Promise<void> {
  await until('its end', async () => typeof (await readProgramState(folder)) === 'object');
}

test('a start that was given up is taken back: a supervisor that comes later begins nothing', async () => {
  const { folder, out, program, error } = await makeProgramGivenUp();
  assert.partialDeepStrictEqual({ ...error }, { blame: 'backend', sent: 'no' });
  await superviseLate(folder);
  assert.deepEqual([await readProgramState(folder), existsSync(out)], ['absent', false]);
  // A new start runs the program once.
  await startProgram(folder, program, never);
  await untilEnded(folder);
  await superviseLate(folder);
  assert.equal(await readFile(out, 'utf8'), 'ran ');
});

test('while somebody has the lock nobody can tell whether the program begins', async () => {
  const { folder, out, program } = await makeProgram();
  {
    using lock = tryLock(join(folder, programFiles.lock));
    assert.ok(lock);
    const start = startProgram(folder, program, never, short);
    await assert.rejects(start, { name: 'EngineFailure', blame: 'backend', sent: 'unknown' });
    assert.equal(await withdrawProgram(folder, short.lockMs), 'unknown');
  }
  assert.equal(await withdrawProgram(folder, short.lockMs), 'withdrawn');
  await superviseLate(folder);
  assert.deepEqual([await readProgramState(folder), existsSync(out)], ['absent', false]);
});

test('a program that has begun is not taken back', async () => {
  const { folder, out, program } = await makeProgram();
  await startProgram(folder, program, never);
  assert.equal(await withdrawProgram(folder, short.lockMs), 'begun');
  await untilEnded(folder);
  assert.equal(existsSync(join(folder, programFiles.stop)), false);
  assert.equal(await readFile(out, 'utf8'), 'ran ');
});

test('a supervisor that cannot be started is no fault of our own', async () => {
  const { folder, program } = await makeProgram();
  const { execPath } = process;
  process.execPath = join(root, 'no-such-node');
  try {
    const start = startProgram(folder, program, never, { beginMs: 60_000 });
    await assert.rejects(start, { name: 'EngineFailure', blame: 'backend', sent: 'no' });
  } finally {
    process.execPath = execPath;
  }
});
