import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import {
  createTestDatabase,
  endSessionsOf,
  type TestDatabase,
} from '@renderkit/server-kit/testing/database.ts';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { connectAccount, createKey } from '../src/operator.ts';
import type { CrashPointName } from '../src/test-hooks.ts';
import type { Doom } from './doomed-entry.ts';
import { type FileServer, startFileServer, tinyPng } from './file-server.ts';
import { askAt } from './harness.ts';
import { postForm } from './post-form.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';
import { type ScriptedStudio, startScriptedStudio } from './scripted-studio.ts';

// A process dies with a file on its way; another one finds what it left. No file stays without an upload, and no upload
// without an end.

const leaseMs = 1_000;
const secretKey = Buffer.alloc(32, 9);

let db: TestDatabase;
let database: Database;
let scripted: ScriptedStudio;
let studio: ScriptedRenders;
let files: FileServer;
let key: string;
let running: Service[] = [];

type Service = { url: string; child: ChildProcess; gone: Promise<unknown> };

before(async () => {
  db = await createTestDatabase('service');
  database = db.database;
  files = await startFileServer();
});
after(async () => {
  await files[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.rows('delete from accounts');
  await database.rows('delete from budget_days');
  scripted = await startScriptedStudio();
  studio = scriptRenders(scripted);
  scripted.balance.lifetime_millicredits = 100_000;
  const { accountId } = await connectAccount(database, secretKey, {
    studioId: scripted.studioId,
    studioAccountId: scripted.account.id,
    email: 'ada@example.org',
    refreshToken: scripted.newSession(),
  });
  ({ key } = await createKey(database, { accountId, name: 'test', rateLimitPerMinute: 1_000_000 }));
});
afterEach(async () => {
  for (const { child, gone } of running) {
    child.kill('SIGKILL');
    await gone;
  }
  running = [];
  await endSessionsOf(database, 'service');
  await scripted[Symbol.asyncDispose]();
});

async function start(point?: CrashPointName): Promise<Service> {
  const doom: Doom = { leaseMs, ...(point !== undefined && { point }) };
  const child = fork(path.join(import.meta.dirname, 'doomed-entry.ts'), [JSON.stringify(doom)], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(tmpdir(), 'renderkit-compile-cache'),
      DATABASE_URL: db.url,
      PORT: '0',
      STUDIO_URL: scripted.url,
      STUDIO_CLIENT_ID: 'service',
      STUDIO_CLIENT_SECRET: 'a secret of the test',
      SECRET_KEY: secretKey.toString('hex'),
      EGRESS_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: { type: string; url?: string }) => {
      if (message.type === 'ready') resolve(message.url ?? '');
    });
    child.once('exit', () => reject(new Error('a service ended before it was ready')));
  });
  const service = { url, child, gone };
  running.push(service);
  return service;
}

const send = (service: Service) =>
  postForm<Upload>(`${service.url}/v1/uploads`, key, [
    { name: 'file', value: tinyPng, fileName: 'lake.png' },
  ]).catch(() => undefined);
const edit = (service: Service, image: string) =>
  askAt<Generation>(service.url, '/v1/images/edits', { key, body: { prompt: 'x', image } });
const ids = async () => (await database.rows<{ id: string }>('select id from uploads')).map(({ id }) => id);

async function until(condition: () => Promise<boolean> | boolean, ms = 12_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('it did not come to that in time');
    await sleep(20);
  }
}

function tell(token: string, status: 'ready' | 'rejected'): void {
  const stored = scripted.uploads.files.get(token);
  assert.ok(stored !== undefined);
  stored.upload.status = status;
  studio.tell({ token, upload: structuredClone(stored.upload) });
}

async function statusOf(service: Service, kind: 'uploads' | 'generations', id: string) {
  return (await askAt<{ status: string }>(service.url, `/v1/${kind}/${id}`, { key })).body.status;
}

for (const point of ['upload-receiving', 'upload-stored'] as const)
  test(
    `a process that dies at ${point} leaves no upload and no file`,
    { timeout: 60_000, skip: point !== 'upload-stored' && unlessSoaking },
    async () => {
      const doomed = await start(point);
      const sending = send(doomed);
      await doomed.gone;
      assert.equal(await sending, undefined);
      const [id = ''] = await ids();
      const next = await start();
      assert.equal((await askAt(next.url, `/v1/uploads/${id}`, { key })).status, 404);
      await until(async () => (await ids()).length === 0);
      assert.equal(scripted.uploads.files.size, 0);
      assert.deepEqual(scripted.uploads.deleted, [id]);
    },
  );

test(
  'an upload whose deletion died with its process is gone all the same, its file too',
  { timeout: 60_000, skip: unlessSoaking },
  async () => {
    const doomed = await start('upload-deleted');
    const id = (await send(doomed))?.body.id ?? '';
    await assert.rejects(askAt(doomed.url, `/v1/uploads/${id}`, { key, method: 'DELETE' }));
    await doomed.gone;
    const next = await start();
    assert.equal((await askAt(next.url, `/v1/uploads/${id}`, { key })).status, 404);
    await until(async () => (await ids()).length === 0);
    assert.equal(scripted.uploads.files.size, 0);
  },
);

test(
  'an upload whose 201 was lost is there, whole, and comes to its one end',
  { timeout: 60_000, skip: unlessSoaking },
  async () => {
    const doomed = await start('upload-recorded');
    const sending = send(doomed);
    await doomed.gone;
    assert.equal(await sending, undefined);
    const [id = ''] = await ids();
    const next = await start();
    assert.equal(await statusOf(next, 'uploads', id), 'processing');
    tell(id, 'ready');
    await until(async () => (await statusOf(next, 'uploads', id)) === 'ready');
    const events = await database.rows('select type from events where subject_id = $1', [id]);
    assert.deepEqual(events, [{ type: 'upload.ready' }]);
  },
);

test('an import that died with its process is made by another, once', { timeout: 60_000 }, async () => {
  const doomed = await start('import-fetched');
  const { body } = await edit(doomed, `${files.url}/x.png`);
  await doomed.gone;
  const next = await start();
  assert.equal(await statusOf(next, 'generations', body.id), 'queued');
  await until(() => scripted.uploads.files.size === 1);
  const [token = ''] = scripted.uploads.files.keys();
  await until(async () => (await ids()).includes(token));
  tell(token, 'ready');
  await until(async () => (await statusOf(next, 'generations', body.id)) === 'running');
  assert.deepEqual(studio.submits, [body.id]);
});

test(
  'a death in the middle of an outcome changes nothing, and the outcome comes whole',
  { timeout: 60_000 },
  async () => {
    const doomed = await start('upload-settling');
    const id = (await send(doomed))?.body.id ?? '';
    const { body } = await edit(doomed, id);
    tell(id, 'rejected');
    await doomed.gone;
    assert.deepEqual(await database.rows('select 1 from events'), []);
    const next = await start();
    await until(async () => (await statusOf(next, 'generations', body.id)) === 'failed');
    assert.equal(await statusOf(next, 'uploads', id), 'rejected');
    const events = await database.rows<{ type: string }>('select type from events order by type');
    assert.deepEqual(
      events.map(({ type }) => type),
      ['generation.failed', 'upload.rejected'],
    );
    const [account] = await database.rows('select queued_edit, uncharged_millicredits from accounts');
    assert.deepEqual(account, { queued_edit: 0, uncharged_millicredits: 0 });
  },
);
