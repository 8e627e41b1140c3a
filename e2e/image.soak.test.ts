// Tests the image: every part runs as a user without an account, with a read-only root, on machines without a
// connection to the outside.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { release } from '@renderkit/server-kit/schema/release.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startDataMachine, unlessDataMachine } from './harness/data-machine.ts';
import { type Image, openImage, unlessBuildah } from './harness/image.ts';
import { connectMachines, type Machine } from './harness/machines.ts';
import { openShell } from './harness/shell.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
const script = path.join(import.meta.dirname, 'harness/run-in-image.sh');
const userId = String(1_000_000_000 + Math.floor(Math.random() * 1_000_000));
const partWithinMs = 120_000;

/** Returns the command line that runs `renderkit …` of the image on a machine. */
function lineOf(image: Image, machine: Machine, settings: Record<string, string>, ...command: string[]) {
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const inside = [...image.environment.filter((line) => !line.startsWith('PATH=')), ...given, ...command];
  const [program, ...line] = [...machine.enter, 'unshare', '--mount', 'bash', script, image.root, userId];
  return { program, line: [...line, ...inside] };
}

test(
  'the image runs every part, and a picture comes out',
  { skip: unlessDataMachine || unlessBuildah },
  async (t) => {
    t.diagnostic(`user id ${userId}`);
    await using image = await openImage();
    assert.equal(image.labels['renderkit.release'], `${release}`);
    await using machines = await connectMachines(['data', 'front', 'render']);
    const { data, front, render } = machines.all;
    await using storage = await startDataMachine(data);
    await using dataShell = openShell(root, { HOME: data.home, ...storage.environment }, data.enter);
    const prepared = await dataShell.paste(`(set -e
    for name in service studio; do echo "secret-of-$name" > ~/"$name"_password; done
    SECRETS=~ sh deploy/compose/make-databases.sh)`);
    assert.equal(prepared.code, 0, prepared.stderr);

    const settings = {
      DATABASE_URL: 'postgresql://service:secret-of-service@data.internal/service',
      STUDIO_DATABASE_URL: 'postgresql://studio:secret-of-studio@data.internal/studio',
      SECRET_KEY: '0123456789abcdef'.repeat(4),
      STUDIO_CLIENT_ID: 'renderkit-service',
      STUDIO_CLIENT_SECRET: 'a-secret-of-the-tests',
      PUBLIC_URL: 'http://front.internal:8787',
      STUDIO_URL: 'http://front.internal:8788',
      STUDIO_PUBLIC_URL: 'http://front.internal:8788',
      MEDIA_STORE: 's3',
      S3_ENDPOINT: 'http://data.internal:7480',
      S3_BUCKET: 'renderkit-media',
      S3_ACCESS_KEY_ID: storage.environment['S3_ACCESS_KEY_ID'] ?? '',
      S3_SECRET_ACCESS_KEY: storage.environment['S3_SECRET_ACCESS_KEY'] ?? '',
    };
    /** Runs a command of the image to its end. */
    const command = async (...words: string[]) => {
      const { program, line } = lineOf(image, front, settings, 'renderkit', ...words);
      return (await run(program, line)).stdout;
    };
    const { program, line } = lineOf(image, front, {}, 'touch', '/app/written');
    await assert.rejects(run(program, line), /Read-only file system/);
    await assert.rejects(command('health'), /No part answers/);
    assert.match(await command('migrate'), /The databases are up to date/);
    await command('operator', 'account', 'create', '--email', 'ada@example.org');
    const made = await command('operator', 'key', 'create', '--email', 'ada@example.org', '--name', 'first');
    const key = /rk_live_\w+/.exec(made)?.[0] ?? assert.fail(made);

    await using parts = new AsyncDisposableStack();
    const started = new Map<string, ChildProcess>();
    for (const [part, machine] of [
      ['studio', front],
      ['service', front],
      ['worker', render],
    ] as const) {
      const start = lineOf(image, machine, settings, 'renderkit', part);
      const child = spawn(start.program, start.line, { stdio: ['ignore', 'ignore', 'inherit'] });
      const ended = once(child, 'exit');
      parts.defer(async () => {
        child.kill('SIGTERM');
        await ended;
      });
      started.set(part, child);
    }
    await until(
      'readiness',
      async () => {
        const health = lineOf(image, render, {}, 'renderkit', 'health');
        await run(health.program, health.line);
        const ready = await dataShell.paste('curl -sS http://front.internal:8787/readyz');
        assert.match(ready.stdout, /"status":\s*"ready"/);
        return true;
      },
      { withinMs: partWithinMs, everyMs: 500, retryErrors: true },
    );
    await command('health');

    const ask = async (curl: string) =>
      (await dataShell.paste(`curl -sS --fail-with-body -H "Authorization: Bearer ${key}" ${curl}`)).stdout;
    const generations = 'http://front.internal:8787/v1';
    const { id } = JSON.parse(
      await ask(
        `${generations}/images/generations -H 'Content-Type: application/json' -d '{"prompt": "a lake"}'`,
      ),
    ) as { id: string };
    const answer = await ask(`'${generations}/generations/${id}?wait=60'`);
    const { status, outputs } = JSON.parse(answer) as { status: string; outputs: { url: string }[] };
    assert.equal(status, 'succeeded', answer);
    const head = await dataShell.paste(`curl -sS --fail '${outputs[0]?.url}' | head -c 4 | tail -c 3`);
    assert.equal(head.stdout, 'PNG');

    for (const [part, child] of started) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual([part, ...((await ended) as unknown[])], [part, 0, null]);
    }
  },
);
