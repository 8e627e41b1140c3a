import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import { readChanges, startTestStudio, type TestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

let studio: TestStudio;
before(async () => {
  studio = await startTestStudio();
});
after(async () => studio[Symbol.asyncDispose]());

test('an image is kept as it is, checked, served, and told to the feed', async () => {
  const account = await studio.connect();
  const bytes = await makeImage({ format: 'jpeg' });
  const { body } = await account.upload('upl_1', bytes, { file_name: 'a/../Sea view.JPG' });
  assert.equal(body.outcome, 'stored');
  assert.ok(body.outcome === 'stored');
  assert.equal(body.upload.status, 'processing');
  const upload = await account.checked('upl_1');
  assert.deepEqual(
    { ...upload, url: '', created_at: '' },
    {
      token: 'upl_1',
      type: 'image',
      status: 'ready',
      url: '',
      file_name: 'Sea view.JPG',
      content_type: 'image/jpeg',
      size_bytes: bytes.length,
      width: 96,
      height: 64,
      duration_seconds: null,
      project_id: null,
      error: null,
      created_at: '',
    },
  );
  const served = await fetch(upload.url);
  assert.equal(served.headers.get('content-type'), 'image/jpeg');
  assert.match(served.headers.get('content-disposition') ?? '', /^attachment/);
  assert.match(served.headers.get('content-security-policy') ?? '', /sandbox/);
  assert.match(served.headers.get('cache-control') ?? '', /no-cache/);
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
  const [moved] = await readChanges(studio.url, [{ account: account.id, cursor: 0 }]);
  assert.ok(moved?.status === 'changes');
  assert.deepEqual(
    moved.changes.map(({ type, token, upload: inFeed }) => ({ type, token, inFeed })),
    [{ type: 'upload', token: 'upl_1', inFeed: upload }],
  );
});

test('the same token gets the same answer, whatever comes with it', async () => {
  const account = await studio.connect();
  const first = await account.upload('upl_same', await makeImage());
  const again = await account.upload('upl_same', Buffer.from('something else'));
  assert.ok(first.body.outcome === 'stored' && again.body.outcome === 'stored');
  assert.equal(again.body.upload.url, first.body.upload.url);
  const { body } = await account.call<StudioAnswer<'lookUpUploads'>>('POST', '/api/uploads/lookup', {
    tokens: ['upl_same', 'upl_other'],
  });
  assert.deepEqual(
    body.uploads.map(({ token }) => token),
    ['upl_same'],
  );
  const stranger = await studio.connect();
  assert.equal((await stranger.call('GET', '/api/uploads/upl_same')).status, 404);
});

test('a deleted upload leaves nothing, and its token names nothing ever after', async () => {
  const account = await studio.connect();
  const atFirst = await studio.mediaKeys();
  await account.upload('upl_gone', await makeImage());
  assert.equal((await studio.mediaKeys()).length, atFirst.length + 1);
  for (const token of ['upl_gone', 'upl_never'])
    assert.deepEqual((await account.call('DELETE', `/api/uploads/${token}`)).body, { deleted: true });
  assert.deepEqual(await studio.mediaKeys(), atFirst);
  assert.equal((await account.call('GET', '/api/uploads/upl_gone')).status, 404);
  assert.equal((await account.upload('upl_gone', await makeImage())).status, 409);
  assert.deepEqual(await studio.mediaKeys(), atFirst);
});

test('names that the rules refuse are rejected with a sentence', async () => {
  const account = await studio.connect();
  await account.upload('upl_bad', await makeImage(), { file_name: 'my sandbox-rejected.png' });
  const upload = await account.checked('upl_bad');
  assert.equal(upload.status, 'rejected');
  assert.match(upload.error ?? '', /rules of this studio/);
});

test('the link of a rejected file leads nowhere, and its bytes are gone', async () => {
  const account = await studio.connect();
  const atFirst = await studio.mediaKeys();
  await account.upload('upl_refused', await makeImage(), { file_name: 'sandbox-rejected.png' });
  const { url, status } = await account.checked('upl_refused');
  assert.equal(status, 'rejected');
  const orphans = () => studio.database.rows('select from loose_folders');
  for (let i = 0; i < 100 && (await orphans()).length > 0; i++) await sleep(20);
  assert.equal((await fetch(url)).status, 404);
  assert.deepEqual(await studio.mediaKeys(), atFirst);
  assert.deepEqual(await orphans(), []);
  // The upload is reported as before, and can be deleted.
  assert.equal((await account.call<StudioUpload>('GET', '/api/uploads/upl_refused')).body.url, url);
  assert.equal((await account.call('DELETE', '/api/uploads/upl_refused')).status, 200);
});

test('what the plan lacks, and projects of others, are refused by name', async () => {
  const free = await studio.connect();
  const plus = await studio.connect({ tier: 'plus' });
  const { body: project } = await plus.call<{ id: string }>('POST', '/api/projects', { title: 'Theirs' });
  const videoBytes = await makeMedia(studio.dataDirectory, 'video.mp4');
  const bell = await makeMedia(studio.dataDirectory, 'bell.wav');
  for (const bytes of [videoBytes, bell]) {
    const { body } = await free.upload('upl_not_included', bytes);
    assert.equal(body.outcome === 'refused' && body.refusal.code, 'tier_required');
  }
  assert.equal((await free.call('GET', '/api/uploads/upl_not_included')).status, 404);
  const { body } = await free.upload('upl_elsewhere', await makeImage(), { project_id: project.id });
  assert.deepEqual(body.outcome === 'refused' && [body.refusal.code, body.refusal.field], [
    'unprocessable',
    'project_id',
  ]);
  const { body: stored } = await plus.upload('upl_video', videoBytes, { project_id: project.id });
  assert.ok(stored.outcome === 'stored');
  assert.deepEqual(
    [
      stored.upload.type,
      stored.upload.content_type,
      stored.upload.duration_seconds,
      stored.upload.project_id,
    ],
    ['video', 'video/mp4', 1, project.id],
  );
  await plus.upload('upl_bell', bell);
  const audio = await plus.checked('upl_bell');
  assert.deepEqual([audio.type, audio.status, audio.width], ['audio', 'ready', null]);
  assert.equal((await fetch(audio.url)).headers.get('content-type'), 'audio/wav');
  assert.equal((await plus.checked('upl_video')).status, 'ready');
});

test('an upload goes to a project of its account that is named later, and to no other', async () => {
  const account = await studio.connect();
  const stranger = await studio.connect();
  const { body: mine } = await account.call<{ id: string }>('POST', '/api/projects', { title: 'Mine' });
  const { body: theirs } = await stranger.call<{ id: string }>('POST', '/api/projects', { title: 'Theirs' });
  await account.upload('upl_later', await makeImage());
  const move = (from: typeof account, token: string, project: string) =>
    from.call<StudioUpload>('PUT', `/api/uploads/${token}/project`, { project_id: project });
  for (const [from, token, project] of [
    [account, 'upl_later', theirs.id],
    [account, 'upl_later', 'prj_none'],
    [account, 'upl_none', mine.id],
    [stranger, 'upl_later', theirs.id],
  ] as const)
    assert.equal((await move(from, token, project)).status, 404);
  assert.equal((await account.checked('upl_later')).project_id, null);
  for (let i = 0; i < 2; i++)
    assert.equal((await move(account, 'upl_later', mine.id)).body.project_id, mine.id);
  assert.equal((await account.checked('upl_later')).project_id, mine.id);
  await account.call('DELETE', `/api/projects/${mine.id}`);
  assert.equal((await account.checked('upl_later')).project_id, null);
});

test('what is no file of a kind that is taken is told so, and not kept', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const atFirst = await studio.mediaKeys();
  const png = await makeImage();
  const files: [reason: string, bytes: Buffer][] = [
    ['empty', Buffer.alloc(0)],
    ['unknown_type', Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 250, 251, 0, 1])],
    ['unsupported_type', Buffer.from('just words')],
    ['unsupported_type', Buffer.from('GIF89a\u0001\u0000\u0001\u0000', 'latin1')],
    ['unsupported_type', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['broken', png.subarray(0, 30)],
  ];
  for (const [reason, bytes] of files) {
    const { body, status } = await account.upload('upl_odd', bytes);
    assert.equal(status, 200);
    assert.ok(body.outcome === 'unusable', JSON.stringify(body));
    assert.equal(body.reason, reason, body.message);
  }
  assert.deepEqual(await studio.mediaKeys(), atFirst);
  assert.deepEqual(await studio.database.rows('select from loose_folders'), []);
  // Refused files are not stored.
  assert.equal((await account.upload('upl_odd', png)).body.outcome, 'stored');
});

test('what decoding alone reveals is rejected with a sentence', async () => {
  const account = await studio.connect();
  const { body } = await account.upload(
    'upl_hurt',
    withHurtPixels(await makeImage({ width: 400, height: 300 })),
  );
  assert.equal(body.outcome, 'stored', JSON.stringify(body));
  const upload = await account.checked('upl_hurt');
  assert.equal(upload.status, 'rejected');
  assert.match(upload.error ?? '', /cannot be decoded/);
});

/** Returns the same PNG with one changed byte of its compressed pixels and correct check sums. */
function withHurtPixels(png: Buffer): Buffer {
  const hurt = Buffer.from(png);
  const at = hurt.indexOf('IDAT');
  const end = at + 4 + hurt.readUInt32BE(at - 4);
  hurt.writeUInt8((hurt[at + 10] ?? 0) ^ 0xff, at + 10);
  hurt.writeUInt32BE(crc32(hurt.subarray(at, end)), end);
  return hurt;
}
