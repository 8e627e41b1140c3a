import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { mountSmallDisk, noSmallDisk, type SmallDisk } from '@renderkit/server-kit/testing/small-disk.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';
import { claimPort } from '../src/ports.ts';
import { findRunningPostgres } from '../src/postgres/start-postgres.ts';

const email = 'ada@example.org';
const skip = noSmallDisk();

type Answer = { status: number; retryAfter: string | null; body: Record<string, unknown> };

/** Starts the whole product as `npm start` does, with all its files on a separate disk and its output on a full one. */
async function startOn(disk: SmallDisk) {
  const dataDirectory = path.join(disk.directory, 'data');
  const temporary = path.join(disk.directory, 'tmp');
  await mkdir(temporary);
  const port = () => claimPort({ name: 'PORT', host: '127.0.0.1', port: 0, waitMs: 0 });
  const environment = {
    ...inheritedEnvironment(),
    DATA_DIR: dataDirectory,
    TMPDIR: temporary,
    PORT: String(await port()),
    STUDIO_PORT: String(await port()),
    DEMO: 'off',
  };
  const full = openSync('/dev/full', 'w');
  const stack = spawn(process.execPath, [programFile(path.resolve(import.meta.dirname, '../src/main.ts'))], {
    stdio: ['ignore', full, full],
    env: environment,
  });
  closeSync(full);
  const url = `http://127.0.0.1:${environment.PORT}`;
  const operator = async (line: string) =>
    JSON.parse((await runOperator(commands, [...line.split(' '), '--json'], environment)).text) as Record<
      string,
      unknown
    >;
  return {
    stack,
    dataDirectory,
    readiness: () => ask(`${url}/readyz`),
    operator,
    /** Calls the API with a key. */
    client: (key: string) => ({
      create: () => ask(`${url}/v1/images/generations`, key, { model: 'sketch-1', prompt: 'a lake at dawn' }),
      upload: () => upload(`${url}/v1/uploads`, key),
      status: async (id: unknown) => (await ask(`${url}/v1/generations/${String(id)}`, key)).body['status'],
    }),
    [Symbol.asyncDispose]: () => stop(stack),
  };
}

async function ask(url: string, key?: string, body?: object): Promise<Answer> {
  const answer = await fetch(url, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    signal: AbortSignal.timeout(30_000),
  });
  return read(answer);
}

async function upload(url: string, key: string): Promise<Answer> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.alloc(200_000, 7)]), 'noise.png');
  return read(await fetch(url, { method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } }));
}

async function read(answer: Response): Promise<Answer> {
  const body = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
}

async function stop(stack: ChildProcess): Promise<void> {
  if (stack.exitCode !== null || stack.signalCode !== null) return;
  const ended = once(stack, 'exit');
  stack.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}

/** Makes PostgreSQL begin a new file of its log when there is no room: the server dies and cannot start again. */
async function exhaustLog(dataDirectory: string): Promise<void> {
  const running = await findRunningPostgres({ dataDirectory });
  await using database = openDatabase({
    url: running?.superuserUrl ?? '',
    applicationName: 'test',
    poolSize: 1,
  });
  for (let tries = 0; tries < 10; tries++)
    await database.rows('select pg_switch_wal()').catch(() => undefined);
}

test(
  'a disk that fills up stops no process; with room again all that was accepted is finished',
  { skip },
  async () => {
    await using disk = await mountSmallDisk({ megabytes: 280 });
    await using platform = await startOn(disk);
    await until('readiness', async () => (await platform.readiness()).body['status'] === 'ready', {
      retryErrors: true,
    });
    await platform.operator(`account create --email ${email} --tier pro --credits 500`);
    const { key } = await platform.operator(`key create --email ${email} --name test`);
    const client = platform.client(String(key));
    const accepted: unknown[] = [];
    const create = async () => {
      const answer = await client.create();
      if (answer.status === 202) accepted.push(answer.body['id']);
      return answer;
    };
    await create();

    await disk.fill();
    const refusals: Answer[] = [];
    for (let i = 0; i < 40; i++) {
      const answer = await create();
      if (answer.status !== 202) refusals.push(answer);
    }
    await exhaustLog(platform.dataDirectory);
    await until(
      'the end of PostgreSQL',
      async () => {
        // Also fills the space that a recovery frees.
        await disk.fill();
        refusals.push(...[await create(), await client.upload()].filter(({ status }) => status !== 202));
        return (await platform.readiness()).status === 503;
      },
      { retryErrors: true },
    );
    assert.ok(refusals.length > 0);
    for (const { status, retryAfter, body } of refusals) {
      assert.ok(
        ['500 internal_error', '503 upstream_unavailable'].includes(`${status} ${String(body['code'])}`),
      );
      assert.ok(Number(retryAfter) >= 1, 'no Retry-After');
    }
    // Longer than five quick deaths of any part take.
    await sleep(8_000);
    assert.deepEqual([platform.stack.exitCode, platform.stack.signalCode], [null, null]);

    await disk.free();
    await until('readiness', async () => (await platform.readiness()).body['status'] === 'ready', {
      retryErrors: true,
    });
    await until('a create', async () => (await create()).status === 202, { retryErrors: true });
    await until(
      'the end of all that was accepted',
      async () => {
        const statuses = await Promise.all(accepted.map((id) => client.status(id)));
        assert.ok(statuses.every((status) => status !== 'failed' && status !== undefined));
        return statuses.every((status) => status === 'succeeded');
      },
      { withinMs: 120_000, retryErrors: true },
    );
    assert.deepEqual(await platform.operator('ledger check'), { differences: [] });
    const log = await readFile(path.join(platform.dataDirectory, 'logs', 'service.log'), 'utf8');
    assert.doesNotMatch(log, /Unhandled 'error' event/);
  },
);
