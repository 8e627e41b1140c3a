// Follows docs/self-hosting.md word for word: PostgreSQL and a bucket on one machine, service and studio on another, a
// worker on a third.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startDataMachine, unlessDataMachine } from './harness/data-machine.ts';
import { connectMachines, type Machine } from './harness/machines.ts';
import { openShell } from './harness/shell.ts';

const root = path.join(import.meta.dirname, '..');
const url = 'http://front.internal:8787';
/** For a busy machine; on an idle one a part starts within some seconds. */
const partWithinMs = 120_000;

type Block = { machine: 'data' | 'front' | 'render'; goesOn: boolean; text: string };

/** Returns the blocks of the section. Their first line names the machine on which they run. */
async function readBlocks(): Promise<Block[]> {
  const document = await readFile(path.join(root, 'docs/self-hosting.md'), 'utf8');
  const [, section = ''] = /^### Three machines, step by step$(.*?)^## /ms.exec(document) ?? [];
  return [...section.matchAll(/^```sh\n# (data|front|render)(, and goes on)?\n(.*?)^```$/gms)].map(
    ([, machine, goesOn, text = '']) => ({
      machine: machine as Block['machine'],
      goesOn: goesOn !== undefined,
      text,
    }),
  );
}

/** Runs a part until it is disposed of. Uses npm, so disposing ends everything that npm started. */
function startPart(machine: Machine, text: string): AsyncDisposable {
  const [program, ...line] = [...machine.enter, 'bash', '-c', text];
  const part = spawn(program, line, {
    cwd: root,
    env: { ...inheritedEnvironment(), HOME: machine.home },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const ended = once(part, 'exit');
  return {
    [Symbol.asyncDispose]: async () => {
      if (part.exitCode === null && part.pid !== undefined) process.kill(-part.pid, 'SIGTERM');
      await ended;
    },
  };
}

test('three machines that follow the document make a picture', { skip: unlessDataMachine }, async () => {
  const blocks = await readBlocks();
  assert.deepEqual(
    blocks.map(({ machine }) => machine),
    ['data', 'front', 'front', 'front', 'render'],
  );
  await using machines = await connectMachines(['data', 'front', 'render']);
  const { data, front, render } = machines.all;
  await using storage = await startDataMachine(data);
  await using parts = new AsyncDisposableStack();
  let key = '';
  for (const { machine, goesOn, text } of blocks) {
    const at = machines.all[machine];
    if (goesOn) {
      parts.use(startPart(at, text));
      continue;
    }
    await using shell = openShell(
      root,
      { HOME: at.home, ...(machine === 'data' && storage.environment) },
      at.enter,
    );
    const { code, stdout, stderr } = await shell.paste(`(set -e\n${text})`);
    assert.equal(code, 0, stderr);
    key = /rk_live_\w+/.exec(stdout)?.[0] ?? key;
    // Does what scp does in the document.
    if (machine === 'data')
      for (const other of [front, render])
        await cp(path.join(data.home, 'renderkit'), path.join(other.home, 'renderkit'), { recursive: true });
  }
  assert.match(key, /^rk_live_/);
  // Sends the requests from a machine on which no part runs.
  await using shell = openShell(root, { HOME: data.home, URL: url, KEY: key }, data.enter);
  await untilReady(async () => (await shell.paste('curl -sS "$URL/readyz"')).stdout);
  const made =
    await shell.paste(`curl -sS --fail-with-body "$URL/v1/images/generations" -H "Authorization: Bearer $KEY" \\
    -H "Content-Type: application/json" -d '{"prompt": "a mountain above a calm lake at sunset"}'`);
  const { id } = JSON.parse(made.stdout) as { id: string };
  const waited = await shell.paste(
    `curl -sS "$URL/v1/generations/${id}?wait=60" -H "Authorization: Bearer $KEY"`,
  );
  const { status, outputs } = JSON.parse(waited.stdout) as { status: string; outputs: { url: string }[] };
  assert.equal(status, 'succeeded', waited.stdout);
  assert.ok(outputs[0]?.url.startsWith('http://front.internal:8788/media/'));
  const saved = path.join(data.home, 'picture.png');
  const { code, stderr } = await shell.paste(`curl -sS --fail -o '${saved}' '${outputs[0]?.url}'`);
  assert.equal(code, 0, stderr);
  assert.deepEqual((await readFile(saved)).subarray(1, 4).toString(), 'PNG');
});

/** Waits until all parts can reach each other and the service is not degraded. */
async function untilReady(ask: () => Promise<string>): Promise<void> {
  await until('readiness', ask, {
    isSo: (answer) => /"status":\s*"ready"/.test(answer),
    withinMs: partWithinMs,
    everyMs: 500,
  });
}
