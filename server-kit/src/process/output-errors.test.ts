import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { mountSmallDisk, noSmallDisk } from '../testing/small-disk.ts';

const module = (name: string) => JSON.stringify(new URL(`./${name}.ts`, import.meta.url).href);

/**
 * A part that, on each message, logs a line, warns and writes to standard error, and answers with its count of lines.
 */
const program = `
  import { runPart } from ${module('lifecycle')};
  import { createLogger } from ${module('logger')};
  const log = createLogger({ part: 'test', level: 'info' });
  let lines = 0;
  process.on('message', (message) => {
    if (message.type !== 'log') return;
    log.info({ line: ++lines, filler: 'x'.repeat(1000) }, 'a line');
    process.stderr.write('a word\\n');
    process.emitWarning('a warning');
    // A failed write is reported in a later turn of the event loop.
    setTimeout(() => process.send({ type: 'logged', lines }), 5);
  });
  await runPart({ start: async () => ({ [Symbol.asyncDispose]: async () => {} }), stopWithinMs: 5000,
    onStartFailure: () => {} });`;

function startPart(output: 'pipe' | number): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', output, output, 'ipc'],
  });
}

async function logLines(part: ChildProcess, count: number): Promise<void> {
  const ended = once(part, 'exit').then(() => undefined);
  for (let i = 0; i < count; i++) {
    const answer = once(part, 'message');
    part.send({ type: 'log' });
    assert.ok(await Promise.race([answer, ended]), 'the part ended by a line that it could not write');
  }
}

async function stopsInOrder(part: ChildProcess): Promise<void> {
  part.send({ type: 'stop' });
  assert.deepEqual(await once(part, 'exit'), [0, null]);
}

test('a part whose reader has gone goes on, and stops in order', async () => {
  const part = startPart('pipe');
  await once(part, 'message');
  part.stdout?.destroy();
  part.stderr?.destroy();
  await logLines(part, 5);
  await stopsInOrder(part);
});

const noFullDevice = !existsSync('/dev/full') && 'there is no device here that is always full';

test('a part whose output finds no space goes on, and stops in order', { skip: noFullDevice }, async () => {
  const full = openSync('/dev/full', 'w');
  const part = startPart(full);
  closeSync(full);
  await once(part, 'message');
  await logLines(part, 5);
  await stopsInOrder(part);
});

test('lines are written again once there is space', { skip: noSmallDisk() }, async () => {
  await using disk = await mountSmallDisk({ megabytes: 1 });
  const file = path.join(disk.directory, 'part.log');
  const log = openSync(file, 'a');
  const part = startPart(log);
  closeSync(log);
  await once(part, 'message');
  await disk.fill();
  await logLines(part, 8);
  await disk.free();
  await logLines(part, 2);
  await stopsInOrder(part);
  assert.match(await readFile(file, 'utf8'), /"line":10,/);
});
