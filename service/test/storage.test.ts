import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { exampleEditModel, exampleVideoModel } from '@renderkit/contract/studio/examples/models.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { assertProblem } from './assert-problem.ts';
import { signedIn } from './console-caller.ts';
import { type FileServer, startFileServer, tinyPng } from './file-server.ts';
import { askAt, startTestService, type TestService } from './harness.ts';
import { postForm } from './post-form.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

const gigabyte = 1024 ** 3;
const storage = { used_bytes: 2.25 * gigabyte, limit_bytes: 2 * gigabyte };
const refusal = { code: 'storage_full', message: 'the studio’s own words', storage } as const;

describe('storage', () => {
  let service: TestService;
  let studio: ScriptedRenders;
  let files: FileServer;
  let key: string;
  before(async () => {
    files = await startFileServer();
    service = await startTestService({
      config: { egressAllow: ['127.0.0.0/8'] },
      reconcileMs: 100,
      retryMs: 50,
      leaseMs: 2_000,
    });
    service.studio.catalog.models.push(
      exampleVideoModel({ id: 'all', default_for: [], parameters: { max_reference_images: 10 } }),
      exampleEditModel({ id: 'both', default_for: [], parameters: { max_reference_images: 10 } }),
    );
    service.studio.balance.lifetime_millicredits = 1_000_000_000;
    studio = scriptRenders(service.studio);
    key = await service.createKey();
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });

  const post = async (owner = key) =>
    postForm<Upload>(`${service.url}/v1/uploads`, owner, [
      { name: 'file', value: tinyPng, fileName: 'lake.png' },
    ]);
  const remove = (id: string, owner = key) =>
    service.ask<Problem>(`/v1/uploads/${id}`, { key: owner, method: 'DELETE' });
  const get = (id: string) => service.ask<Upload>(`/v1/uploads/${id}`, { key });
  const tell = (token: string, status: 'ready' | 'rejected') => {
    const stored = service.studio.uploads.files.get(token);
    assert.ok(stored !== undefined);
    stored.upload.status = status;
    studio.tell({ token, upload: structuredClone(stored.upload) });
  };
  const readyUpload = async () => {
    const { body } = await post();
    tell(body.id, 'ready');
    await until('its check', async () => (await get(body.id)).body.status === 'ready');
    return body.id;
  };
  const edit = (body: object) =>
    service.ask<Generation>('/v1/images/edits', { key, body: { prompt: 'in winter', ...body } });
  const untilStatus = (id: string, status: Generation['status']) =>
    until(
      `${id} ${status}`,
      async () => (await service.ask<Generation>(`/v1/generations/${id}`, { key })).body.status === status,
    );

  test('the storage is what the studio says of it', async () => {
    const used = { used_bytes: 7, limit_bytes: 100, uploads_bytes: 3, outputs_bytes: 4 };
    service.studio.scriptOnce('getStorage', { json: used });
    const { status, body } = await service.ask('/v1/account/storage', { key });
    assert.equal(status, 200);
    assert.deepEqual(body, { object: 'storage', ...used });
  });

  test('where the studio has no space left, each that stores something is a 403 that says how much is used', async () => {
    const assertFull = (answer: Parameters<typeof assertProblem>[0], of: string) => {
      assertProblem(answer, 'forbidden', of);
      const { detail } = JSON.parse(answer.text) as Problem;
      assert.match(detail, /storage has no room.* 2\.3 GB of 2 GB of storage are used\. Delete/, of);
      assert.doesNotMatch(detail, /own words/);
    };
    const rows = () => service.database.rows('select id from uploads');
    const earlier = await rows();
    const { next } = service.studio.uploads;
    next.push({ outcome: 'refused', refusal });
    assertFull(await post(), 'a form');
    next.push({ outcome: 'refused', refusal });
    assertFull(await service.ask('/v1/uploads', { key, body: { url: `${files.url}/x.png` } }), 'an address');
    next.push({ outcome: 'refused', refusal });
    const mask = `data:image/png;base64,${tinyPng.toString('base64')}`;
    assertFull(await edit({ image: 'lib_1', mode: 'inpaint', mask }), 'a mask');
    service.studio.scriptOnce('takeFrame', {
      status: 403,
      json: { code: 'storage_full', message: 'no', storage },
    });
    assertFull(await service.ask('/v1/videos/lib_1/frames', { key, body: { time: 1 } }), 'a frame');
    assert.deepEqual(await rows(), earlier);

    const quote = { account_state: 'ok', unknown_ids: [], invalid_fields: [], quote: null, refusal };
    const quoted = (cost: number) => ({
      json: {
        results: [{ ...quote, cost_millicredits: cost, outputs: 1, balance: service.studio.balance }],
      },
    });
    service.studio.scriptOnce('createQuotes', quoted(4_000));
    const create = await service.ask('/v1/images/generations', { key, body: { prompt: 'a lighthouse' } });
    assertFull(create, 'a create');
    service.studio.scriptOnce('createQuotes', quoted(4_000));
    const body = { kind: 'image', prompt: 'a lighthouse' };
    assert.equal((await service.ask('/v1/estimate', { key, body })).status, 200, 'an estimate is no create');
  });

  test('the studio knows before the bytes how many come at least', async () => {
    const bytes = Buffer.concat([tinyPng, Buffer.alloc(300_000)]);
    await postForm(`${service.url}/v1/uploads`, key, [{ name: 'file', value: bytes, fileName: 'x.png' }]);
    const { url = '' } = service.studio.seen.findLast(({ operation }) => operation === 'storeUpload') ?? {};
    const minBytes = Number(new URL(url, 'http://studio').searchParams.get('least_bytes'));
    assert.ok(minBytes > 250_000 && minBytes <= bytes.length, String(minBytes));
  });

  test('an import that finds no space fails its generation, which never started', async () => {
    service.studio.uploads.next.push({ outcome: 'refused', refusal });
    const { body } = await edit({ image: `${files.url}/x.png` });
    await untilStatus(body.id, 'failed');
    const { body: failed } = await service.ask<Generation>(`/v1/generations/${body.id}`, { key });
    assert.equal(failed.error?.code, 'forbidden');
    assert.match(failed.error?.message ?? '', /storage/);
    assert.equal(failed.submitted_at, null);
  });

  test('a deleted upload is gone, at the studio too, and only its owner can delete it', async () => {
    const id = await readyUpload();
    const other = await service.createKey({ accountId: await service.connectAccount() });
    for (const [unknown, owner] of [
      [id, other],
      [`upl_${'0'.repeat(26)}`, key],
      ['nonsense', key],
    ] as const)
      assertProblem(await remove(unknown, owner), 'not_found', unknown);
    const { status, body } = await remove(id);
    assert.equal(status, 200);
    assert.deepEqual(body, { id, object: 'upload', deleted: true });
    assert.ok(service.studio.uploads.deleted.includes(id));
    assertProblem(await get(id), 'not_found', 'it is gone');
    assertProblem(await remove(id), 'not_found', 'it was deleted before');
    assertProblem(await edit({ image: id }), 'invalid_request', 'nobody can name it');
    assert.deepEqual(await service.database.rows('select from uploads where id = $1', [id]), []);
    const events = await service.database.rows<{ type: string }>(
      'select type from events where subject_id = $1',
      [id],
    );
    assert.deepEqual(events, [{ type: 'upload.ready' }], 'what was delivered stays delivered');
  });

  test('one that is still being checked can be deleted, and its end is no event', async () => {
    const { body } = await post();
    const stored = service.studio.uploads.files.get(body.id)?.upload;
    assert.equal((await remove(body.id)).status, 200);
    studio.tell({ token: body.id, upload: { ...structuredClone(stored), status: 'ready' } });
    await sleep(200);
    assert.deepEqual(await service.database.rows('select from events where subject_id = $1', [body.id]), []);
    assertProblem(await get(body.id), 'not_found', 'it stays away');
  });

  test('a studio that is away keeps nobody from deleting: its copy goes when it is back', async () => {
    const id = await readyUpload();
    service.studio.script('deleteUpload', { status: 503, json: { code: 'maintenance', message: 'soon' } });
    assert.equal((await remove(id)).status, 200);
    assertProblem(await get(id), 'not_found', 'it is out of sight');
    assert.equal((await service.database.rows('select from uploads where id = $1', [id])).length, 1);
    service.studio.script('deleteUpload', undefined);
    await until(
      'the deletion at the studio',
      async () => (await service.database.rows('select from uploads where id = $1', [id])).length === 0,
    );
    assert.ok(service.studio.uploads.deleted.includes(id));
  });

  test('in whatever role a generation that has not ended names it, an upload cannot be deleted', async () => {
    const video = '/v1/videos/generations';
    const roles: [path: string, body: (id: string) => object][] = [
      ['/v1/images/edits', (image) => ({ image })],
      ['/v1/images/edits', (id) => ({ model: 'both', image: 'lib_1', reference_images: ['lib_1', id] })],
      ['/v1/images/edits', (mask) => ({ image: 'lib_1', mode: 'inpaint', mask })],
      [video, (id) => ({ model: 'all', start_image: id })],
      [video, (id) => ({ model: 'all', start_image: 'lib_1', end_image: id })],
      [video, (id) => ({ model: 'all', reference_audios: [id] })],
      [video, (id) => ({ model: 'all', source_video: id })],
    ];
    for (const status of ['processing', 'ready'] as const)
      for (const [path, body] of roles) {
        const id = status === 'ready' ? await readyUpload() : (await post()).body.id;
        const created = await service.ask<Generation>(path, { key, body: { prompt: 'a lake', ...body(id) } });
        assert.equal(created.status, 202, created.text);
        const refused = await remove(id);
        assertProblem(refused, 'conflict', JSON.stringify(body(id)));
        assert.match(refused.body.detail, new RegExp(created.body.id));
        assert.equal((await get(id)).status, 200);
        if (status === 'processing') tell(id, 'ready');
        await untilStatus(created.body.id, 'running');
        assertProblem(await remove(id), 'conflict', 'it runs');
        studio.finish(created.body.id);
        await untilStatus(created.body.id, 'succeeded');
        assert.equal((await remove(id)).status, 200);
      }
  });

  test('the console lists uploads with what names them and how long they stay, the newest first', async () => {
    const accountId = await service.connectAccount();
    const { call } = await signedIn(service, accountId);
    const owner = await service.createKey({ accountId });
    const sent: string[] = [];
    for (let i = 0; i < 3; i++) sent.unshift((await post(owner)).body.id);
    const [newest = '', used = ''] = sent;
    await service.database.rows(`update uploads set status = 'ready' where id = $1`, [used]);
    const body = { prompt: 'in winter', image: used };
    const created = await service.ask<Generation>('/v1/images/edits', { key: owner, body });
    assert.equal(created.status, 202, created.text);
    const first = await call('listUploadRows', { query: { limit: 2 } });
    assert.deepEqual([first.data.map(({ upload }) => upload.id), first.has_more], [sent.slice(0, 2), true]);
    assert.deepEqual(first.data[0]?.uses, { count: 0, latest: [] });
    const days = (Date.parse(first.data[0]?.kept_until ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 29.9 && days <= 30, String(days));
    assert.equal(first.data[1]?.kept_until, null, 'not while it is in use');
    assert.deepEqual(first.data[1]?.uses.count, 1);
    assert.equal(first.data[1]?.uses.latest[0]?.id, created.body.id);
    const second = await call('listUploadRows', { query: { limit: 2, page: 2 } });
    assert.deepEqual([second.data.map(({ upload }) => upload.id), second.has_more], [sent.slice(2), false]);
    assert.equal((await remove(newest, owner)).status, 200);
    assert.equal((await call('listUploadRows')).data.length, 2);
    const detail = await call('getStorageDetail');
    assert.deepEqual([detail.storage?.used_bytes, detail.temporary_bytes], [3_000, 0]);
  });

  test('of a create and a deletion at once exactly one wins, over two processes', async () => {
    await using another = await service.startAnother();
    let deletions = 0;
    for (let round = 0; round < 30; round++) {
      const id = await readyUpload();
      const [created, deleted] = await Promise.all([
        edit({ image: id }),
        sleep(Math.random() * 8).then(() =>
          askAt<Problem>(another.url, `/v1/uploads/${id}`, { key, method: 'DELETE' }),
        ),
      ]);
      if (deleted.status === 200) {
        deletions++;
        assertProblem(created, 'invalid_request', `round ${round}`);
        assert.deepEqual(
          (JSON.parse(created.text) as Problem).errors?.map(({ field }) => field),
          ['image'],
        );
      } else {
        assert.equal(created.status, 202, created.text);
        assertProblem(deleted, 'conflict', `round ${round}`);
        assert.equal((await get(id)).status, 200);
        await untilStatus(created.body.id, 'running');
        studio.finish(created.body.id);
      }
    }
    assert.ok(deletions < 30);
  });
});
