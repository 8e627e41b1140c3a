import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import {
  createTestDatabase,
  endSessionsOf,
  type TestDatabase,
} from '@renderkit/server-kit/testing/database.ts';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { connectAccount, createKey } from '../src/operator.ts';
import type { CrashPointName } from '../src/test-hooks.ts';
import { startDoomedService } from './doomed-service.ts';
import { type FileServer, startFileServer, tinyPng } from './file-server.ts';
import { askAt } from './harness.ts';
import { postForm } from './post-form.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';
import { type ScriptedStudio, startScriptedStudio } from './scripted-studio.ts';

// A process dies while a file is on its way, and another process continues from what it left. No file may stay without
// an upload, and every upload must end.

const leaseMs = 1_000;
const secretKey = Buffer.alloc(32, 9);

let db: TestDatabase;
let database: Database;
let scripted: ScriptedStudio;
let studio: ScriptedRenders;
let files: FileServer;
let key: string;
let running: Part[] = [];

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
  await Promise.all(running.map((service) => service.kill()));
  running = [];
  await endSessionsOf(database, 'service');
  await scripted[Symbol.asyncDispose]();
});

async function start(point?: CrashPointName): Promise<Part> {
  const service = await startDoomedService({
    doom: { leaseMs, ...(point !== undefined && { point }) },
    databaseUrl: db.url,
    studioUrl: scripted.url,
    secretKey,
    egressAllow: ['127.0.0.0/8'],
  });
  running.push(service);
  return service;
}

const send = (service: Part) =>
  postForm<Upload>(`${service.url}/v1/uploads`, key, [
    { name: 'file', value: tinyPng, fileName: 'lake.png' },
  ]).catch(() => undefined);
const edit = (service: Part, image: string) =>
  askAt<Generation>(service.url, '/v1/images/edits', { key, body: { prompt: 'x', image } });
const ids = async () => (await database.rows<{ id: string }>('select id from uploads')).map(({ id }) => id);

function tell(token: string, status: 'ready' | 'rejected'): void {
  const stored = scripted.uploads.files.get(token);
  assert.ok(stored !== undefined);
  stored.upload.status = status;
  studio.tell({ token, upload: structuredClone(stored.upload) });
}

async function statusOf(service: Part, kind: 'uploads' | 'generations', id: string) {
  return (await askAt<{ status: string }>(service.url, `/v1/${kind}/${id}`, { key })).body.status;
}

for (const point of ['upload-receiving', 'upload-stored'] as const)
  test(
    `a process that dies at ${point} leaves no upload and no file`,
    { timeout: 60_000, skip: point !== 'upload-stored' && unlessSoaking },
    async () => {
      const doomed = await start(point);
      const sending = send(doomed);
      await doomed.ended;
      assert.equal(await sending, undefined);
      const [id = ''] = await ids();
      const next = await start();
      assert.equal((await askAt(next.url, `/v1/uploads/${id}`, { key })).status, 404);
      await until('the removal', async () => (await ids()).length === 0);
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
    await doomed.ended;
    const next = await start();
    assert.equal((await askAt(next.url, `/v1/uploads/${id}`, { key })).status, 404);
    await until('the removal', async () => (await ids()).length === 0);
    assert.equal(scripted.uploads.files.size, 0);
  },
);

test(
  'an upload whose 201 was lost is there, whole, and comes to its one end',
  { timeout: 60_000, skip: unlessSoaking },
  async () => {
    const doomed = await start('upload-recorded');
    const sending = send(doomed);
    await doomed.ended;
    assert.equal(await sending, undefined);
    const [id = ''] = await ids();
    const next = await start();
    assert.equal(await statusOf(next, 'uploads', id), 'processing');
    tell(id, 'ready');
    await until('the word on the upload', async () => (await statusOf(next, 'uploads', id)) === 'ready');
    const events = await database.rows('select type from events where subject_id = $1', [id]);
    assert.deepEqual(events, [{ type: 'upload.ready' }]);
  },
);

test('an import that died with its process is made by another, once', { timeout: 60_000 }, async () => {
  const doomed = await start('import-fetched');
  const { body } = await edit(doomed, `${files.url}/x.png`);
  await doomed.ended;
  const next = await start();
  assert.equal(await statusOf(next, 'generations', body.id), 'queued');
  await until('the import', () => scripted.uploads.files.size === 1);
  const [token = ''] = scripted.uploads.files.keys();
  await until('its row', async () => (await ids()).includes(token));
  tell(token, 'ready');
  await until('the start', async () => (await statusOf(next, 'generations', body.id)) === 'running');
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
    await doomed.ended;
    assert.deepEqual(await database.rows('select 1 from events'), []);
    const next = await start();
    await until('the failure', async () => (await statusOf(next, 'generations', body.id)) === 'failed');
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
