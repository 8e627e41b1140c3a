import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const lifecycle = new URL('./lifecycle.ts', import.meta.url).href;

/** Starts a process that runs a part. The expression `start` starts the part. */
function run(start: string, stopWithinMs: number): ChildProcess {
  const program = `import { runPart } from '${lifecycle}';
    await runPart({ start: async () => ${start}, stopWithinMs: ${stopWithinMs}, onStartFailure: () => {} });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

const forever = 'new Promise(() => setInterval(() => {}, 1000))';

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

test('a part says that it is ready and ends in order when asked', async () => {
  const child = run('({ [Symbol.asyncDispose]: async () => {} })', 5_000);
  const [message] = await once(child, 'message');
  assert.deepEqual(message, { type: 'ready' });
  child.send({ type: 'stop' });
  assert.equal(await exitCode(child), 0);
});

test('a start that failed ends the process, even where it left something open', async () => {
  const child = run(`{ setInterval(() => {}, 1000); throw new Error('no port'); }`, 50);
  assert.equal(await exitCode(child), 1);
});

test('a part that is still starting ends when its parent goes', async () => {
  const child = run(forever, 50);
  child.disconnect();
  assert.equal(await exitCode(child), 1);
});

test('a part that does not stop is ended', async () => {
  const child = run(`({ [Symbol.asyncDispose]: () => ${forever} })`, 50);
  await once(child, 'message');
  child.kill('SIGTERM');
  assert.equal(await exitCode(child), 1);
});
