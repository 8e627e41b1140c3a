import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileIssues } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { publicMessage } from '@renderkit/egress/egress-refusal.ts';
import { startLoopbackServer } from '@renderkit/egress/testing/loopback-server.ts';
import { ssrfCorpus } from '@renderkit/egress/testing/ssrf-corpus.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { createWebhook } from '../src/operator.ts';
import { assertProblem } from './assert-problem.ts';
import { type FileServer, startFileServer, tinyPng } from './file-server.ts';
import { startTestService, type TestService } from './harness.ts';
import { type Part, postForm } from './post-form.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';
import { unknownProject } from './scripted-uploads.ts';

const file = (value: Uint8Array | string = tinyPng, fileName = 'lake.png'): Part => ({
  name: 'file',
  value,
  fileName,
});
const project = (value = 'prj_1'): Part => ({ name: 'project_id', value });

describe('uploads', () => {
  let service: TestService;
  let key: string;
  let renders: ScriptedRenders;
  let files: FileServer;
  before(async () => {
    files = await startFileServer((request, response) => {
      if (request.url === '/gone') return void response.writeHead(404).end('no');
      if (request.url === '/empty') return void response.writeHead(200).end();
      if (request.url === '/cut') {
        response.writeHead(200, { 'content-length': '1000' }).write(tinyPng);
        return void setTimeout(() => response.destroy(), 50);
      }
      if (request.url?.startsWith('/hop') === true) {
        const left = Number(request.url.slice(4));
        return void response.writeHead(302, { location: left === 0 ? '/a.png' : `/hop${left - 1}` }).end();
      }
      response.writeHead(200).end(tinyPng);
    });
    service = await startTestService({ config: { egressAllow: ['127.0.0.0/8'] }, reconcileMs: 100 });
    renders = scriptRenders(service.studio);
    key = await service.createKey();
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });

  const post = (parts: readonly Part[]) => postForm<Upload>(`${service.url}/v1/uploads`, key, parts);
  const fetched = (body: object) => service.ask<Upload>('/v1/uploads', { key, body });
  const get = async (id: string) => (await service.ask<Upload>(`/v1/uploads/${id}`, { key })).body;
  /** Reports in the studio's feed how an upload ended. */
  const tell = (token: string, status: 'ready' | 'rejected', error: string | null = null) => {
    const stored = service.studio.uploads.files.get(token);
    assert.ok(stored !== undefined);
    Object.assign(stored.upload, { status, error });
    renders.tell({ token, upload: structuredClone(stored.upload) });
  };
  const untilStatus = (id: string, status: string) =>
    until(`${id} ${status}`, () => get(id), { isSo: (upload) => upload.status === status });
  const rows = () => service.database.rows<{ id: string }>('select id from uploads');
  const fields = (answer: { text: string }) =>
    (JSON.parse(answer.text) as Problem).errors?.map(({ field }) => field);

  test('a file goes to the studio byte for byte, and the answer shows what the studio reports of it', async () => {
    const bytes = Buffer.concat([tinyPng, Buffer.alloc(300_000, 7)]);
    const { status, body } = await post([project(), file(bytes, 'véry blue.png')]);
    assert.equal(status, 201);
    assert.match(body.id, /^upl_[0-9a-z]{26}$/);
    assert.deepEqual(
      { ...body, id: '', created_at: '' },
      {
        id: '',
        object: 'upload',
        status: 'processing',
        type: 'image',
        url: 'https://studio.example/media/u7/lake.png',
        file_name: 'véry blue.png',
        content_type: 'image/png',
        size_bytes: bytes.length,
        width: 64,
        height: 64,
        error: null,
        created_at: '',
      },
    );
    const stored = service.studio.uploads.files.get(body.id);
    assert.equal(stored?.sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.deepEqual([stored?.hidden, stored?.upload.project_id], [false, 'prj_1']);
    assert.deepEqual(await get(body.id), body);

    tell(body.id, 'ready');
    assert.deepEqual(await untilStatus(body.id, 'ready'), { ...body, status: 'ready' });
    const events = await service.database.rows<{ type: string; body: string }>(
      'select type, body from events where subject_id = $1',
      [body.id],
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['upload.ready'],
    );
    assert.deepEqual(JSON.parse(events[0]?.body ?? '').data, { ...body, status: 'ready' });
  });

  test('a rejected one says why, and its end is the only one', async () => {
    const { body } = await post([file()]);
    tell(body.id, 'rejected', 'shows\nwhat it \u0007must not');
    assert.equal((await untilStatus(body.id, 'rejected')).error, 'shows what it must not');
    tell(body.id, 'ready');
    await sleep(200);
    assert.equal((await get(body.id)).status, 'rejected');
    const events = await service.database.rows<{ type: string }>(
      'select type from events where subject_id = $1',
      [body.id],
    );
    assert.deepEqual(events, [{ type: 'upload.rejected' }]);
  });

  test('a project may be named after the file too', async () => {
    const { status, body } = await post([file(), project()]);
    assert.equal(status, 201);
    assert.equal(service.studio.uploads.files.get(body.id)?.upload.project_id, 'prj_1');
    const [row] = await service.database.rows('select project_id from uploads where id = $1', [body.id]);
    assert.deepEqual(row, { project_id: 'prj_1' });

    const earlier = await rows();
    const kept = service.studio.uploads.files.size;
    const unknown = await post([file(), project(unknownProject)]);
    assertProblem(unknown, 'invalid_request', 'an unknown project');
    assert.deepEqual(fields(unknown), ['project_id']);
    assert.deepEqual(await rows(), earlier);
    assert.equal(service.studio.uploads.files.size, kept);
  });

  test('a form that is none, or has other parts than it should, is refused by their names', async () => {
    const earlier = await rows();
    const cases: [Part[], string][] = [
      [[], 'file'],
      [[project()], 'file'],
      [[{ name: 'file', value: 'text' }], 'file'],
      [[file(), file()], 'file'],
      [[file(), { name: 'other', value: 'x' }], 'other'],
      [[{ name: 'other', value: 'x' }, file()], 'other'],
      [[{ name: 'file2', value: tinyPng, fileName: 'x' }], 'file2'],
      [[project(), project(), file()], 'project_id'],
      [[project('x'.repeat(101)), file()], 'project_id'],
      [[project(''), file()], 'project_id'],
    ];
    for (const [parts, field] of cases) {
      const answer = await post(parts);
      assertProblem(answer, 'invalid_request', field);
      assert.deepEqual(fields(answer), [field]);
    }
    const wholePart = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
    const raw = [
      ['multipart/form-data', '--x\r\n'],
      ['multipart/form-data; boundary=x', ''],
      ['multipart/form-data; boundary=x', 'nothing of a form'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
      ],
      ['multipart/form-data; boundary=x; boundary=y', `${wholePart}\r\n--x--`],
      ['multipart/form-data; boundary=x', `${wholePart}\r\n--x--`.replaceAll('\r', '')],
      ['multipart/form-data; boundary=x', `${wholePart}\r\n--xy\r\n\r\n--x--`],
      ['multipart/form-data; boundary=x', `${wholePart}\r\n--x--\r\n${'z'.repeat(2_000)}`],
      ['multipart/form-data; boundary=x', `--x\r\n${'X-A: y\r\n'.repeat(2_000)}`],
    ] as const;
    for (const [contentType, body] of raw) {
      const answer = await service.ask('/v1/uploads', {
        key,
        body,
        headers: { 'content-type': contentType },
      });
      assertProblem(answer, 'invalid_request', body);
    }
    assert.deepEqual(await rows(), earlier, 'nothing is left of what was refused');
  });

  test('each issue of a file is a 400 on the file with a sentence of its own', async () => {
    const details = new Set<string>();
    for (const reason of fileIssues) {
      service.studio.uploads.next.push({ outcome: 'unusable', reason, message: 'the studio’s own words' });
      const answer = await post([file()]);
      assertProblem(answer, 'invalid_request', reason);
      assert.deepEqual(fields(answer), ['file']);
      assert.doesNotMatch(answer.text, /own words/);
      details.add((JSON.parse(answer.text) as Problem).detail);
    }
    assert.equal(details.size, fileIssues.length);
  });

  test('what the studio refuses the account gets the code of its reason', async () => {
    const refused = (code: 'tier_required' | 'account_suspended' | 'unprocessable', field?: string) => {
      const refusal = { code, message: 'no', ...(field !== undefined && { field }) };
      service.studio.uploads.next.push({ outcome: 'refused', refusal });
      return post([project(), file()]);
    };
    assertProblem(await refused('tier_required'), 'tier_required', 'a type that the plan lacks');
    assertProblem(await refused('account_suspended'), 'forbidden', 'a suspended account');
    const unknown = await refused('unprocessable', 'project_id');
    assertProblem(unknown, 'invalid_request', 'an unknown project');
    assert.deepEqual(fields(unknown), ['project_id']);
  });

  test('an address is fetched before the answer, over three hops at most', async () => {
    const { status, body } = await fetched({
      url: `${files.url}/deep/a%20lake.png?x=1`,
      project_id: 'prj_1',
    });
    assert.deepEqual([status, body.file_name, body.size_bytes], [201, 'a lake.png', tinyPng.length]);
    assert.equal((await fetched({ url: `${files.url}/hop2` })).status, 201);
    for (const path of ['/gone', '/cut', '/hop3']) {
      const answer = await fetched({ url: files.url + path });
      assertProblem(answer, 'unprocessable', path);
      assert.deepEqual(JSON.parse(answer.text).errors, [{ field: 'url', message: publicMessage }]);
    }
    service.studio.uploads.next.push({ outcome: 'unusable', reason: 'empty', message: '' });
    assertProblem(await fetched({ url: `${files.url}/empty` }), 'unprocessable', 'an empty file');
    for (const wrong of [{}, { url: '' }, { url: 'lake.png' }, { url: 7 }, { url: files.url, more: 1 }])
      assertProblem(await fetched(wrong), 'invalid_request', JSON.stringify(wrong));
  });

  test("another account's upload is as unknown as one that never was", async () => {
    const { body } = await post([file()]);
    const other = await service.createKey({ accountId: await service.connectAccount() });
    const strip = (text: string) => text.replace(/req_[0-9a-z]{26}/g, '');
    const unknown = await service.ask(`/v1/uploads/upl_${'0'.repeat(26)}`, { key: other });
    const foreign = await service.ask(`/v1/uploads/${body.id}`, { key: other });
    assertProblem(foreign, 'not_found', 'foreign');
    assert.equal(strip(foreign.text), strip(unknown.text));
  });

  test('an upload that the feed never tells of is asked about', async () => {
    const { body } = await post([file()]);
    const stored = service.studio.uploads.files.get(body.id);
    if (stored !== undefined) stored.upload.status = 'ready';
    await service.database.rows('update uploads set due_at = clock() where id = $1', [body.id]);
    await untilStatus(body.id, 'ready');
  });

  test('an account whose feed began anew is asked about all that is checked', async () => {
    const { body } = await post([file()]);
    await service.database.rows(
      `update uploads set due_at = clock() + interval '1 hour' where status = 'processing'`,
    );
    const stored = service.studio.uploads.files.get(body.id);
    if (stored !== undefined) stored.upload.status = 'ready';
    renders.tellOnce('reset');
    await untilStatus(body.id, 'ready');
  });

  test('who is subscribed gets a delivery about an upload', async () => {
    await createWebhook(service.database, Buffer.alloc(32, 1), {
      accountId: service.accountId,
      url: 'http://127.0.0.1:65535/',
      events: ['upload.rejected'],
      egressAllow: ['127.0.0.0/8'],
    });
    const [one, two] = [await post([file()]), await post([file()])];
    tell(one.body.id, 'ready');
    tell(two.body.id, 'rejected');
    await untilStatus(two.body.id, 'rejected');
    const delivered = await service.database.rows(
      'select e.subject_id, e.type from deliveries d join events e on e.id = d.event_id',
    );
    assert.deepEqual(delivered, [{ subject_id: two.body.id, type: 'upload.rejected' }]);
  });

  test('a session that has ended is an error, and nothing is stored', async () => {
    const earlier = await rows();
    const account = await service.connectAccount();
    await service.database.rows(`update connections set status = 'ended' where account_id = $1`, [account]);
    const ended = await service.createKey({ accountId: account });
    const answer = await postForm(`${service.url}/v1/uploads`, ended, [file()]);
    assertProblem(answer, 'connection_expired', 'a file');
    assert.deepEqual(await rows(), earlier);
  });

  test('checks that do not end in a quarter of an hour are a rejection', async () => {
    const { body } = await post([file()]);
    await moveClock(service.database, 16 * 60);
    assert.match((await untilStatus(body.id, 'rejected')).error ?? '', /in time/);
  });
});

test('no special address is fetched, however it is written, and all get the same answer', async () => {
  await using canary = await startLoopbackServer();
  await using service = await startTestService();
  const key = await service.createKey();
  const cases = ssrfCorpus(7).filter((_, i) => i % 9 === 0);
  assert.ok(cases.length >= 300, String(cases.length));
  for (const { authority, notation } of cases) {
    const answer = await service.ask('/v1/uploads', {
      key,
      body: { url: `https://${authority}:${canary.port}/` },
    });
    assertProblem(answer, 'invalid_request', `${authority} (${notation})`);
    assert.deepEqual(JSON.parse(answer.text).errors[0].field, 'url');
  }
  assert.equal(canary.connections, 0);
});

test(
  'a client that sends too slowly, or goes, is ended and leaves nothing',
  { timeout: 60_000 },
  async () => {
    const uploadPace = { minBytesPerSecond: 100_000, windowMs: 300 };
    await using service = await startTestService({ uploadPace, reconcileMs: 100 });
    const key = await service.createKey();
    const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const slow = async function* () {
      yield Buffer.from(head);
      for (let i = 0; i < 40; i++) {
        yield Buffer.from('a');
        await sleep(50);
      }
    };
    const send = (body: AsyncIterable<Uint8Array>, signal?: AbortSignal) =>
      fetch(`${service.url}/v1/uploads`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x' },
        body,
        duplex: 'half',
        ...(signal !== undefined && { signal }),
      });
    const answer = await send(slow());
    assert.equal(answer.status, 400, await answer.text());

    const gone = new AbortController();
    const going = send(slow(), gone.signal);
    setTimeout(() => gone.abort(), 150);
    await assert.rejects(going);
    await until('its end', async () => (await service.database.rows('select 1 from uploads')).length === 0);
    assert.equal(service.studio.uploads.files.size, 0);
  },
);
