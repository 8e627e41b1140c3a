import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { programFile } from '@renderkit/server-kit/process/programs.ts';

const program = programFile(path.resolve(import.meta.dirname, '../src/operator/main.ts'));

/** Asks for the list of commands, which needs no database. */
function help(output: 'pipe' | number): ChildProcess {
  return spawn(process.execPath, [program, '--help'], { stdio: ['ignore', output, 'pipe'] });
}

async function outcomeOf(command: ChildProcess): Promise<{ code: unknown; told: string }> {
  const ended = once(command, 'exit');
  assert.ok(command.stderr !== null);
  const told = await text(command.stderr);
  return { code: (await ended)[0], told };
}

test('a command whose reader has read enough is fine', async () => {
  const command = help('pipe');
  command.stdout?.destroy();
  assert.deepEqual(await outcomeOf(command), { code: 0, told: '' });
});

const skip = !existsSync('/dev/full') && 'there is no device here that is always full';

test('a command whose answer finds no room says so, and fails', { skip }, async () => {
  const full = openSync('/dev/full', 'w');
  const command = help(full);
  closeSync(full);
  const { code, told } = await outcomeOf(command);
  assert.equal(code, 1);
  assert.match(told, /^The command was carried out, but its answer could not be written: ENOSPC[^\n]*\n$/);
});
