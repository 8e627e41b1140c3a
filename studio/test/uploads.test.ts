import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import { listKeys } from '@renderkit/studio/storage/disk-storage.ts';
import { readChanges, startTestStudio, type TestStudio } from './harness.ts';
import { makePicture } from './media-files.ts';

let studio: TestStudio;
before(async () => {
  studio = await startTestStudio();
});
after(async () => studio[Symbol.asyncDispose]());

test('a picture is kept as it is, checked, served, and told to the feed', async () => {
  const account = await studio.connect();
  const bytes = await makePicture({ format: 'jpeg' });
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
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
  const [moved] = await readChanges(studio.url, [{ account: account.id, cursor: 0 }]);
  assert.ok(moved?.status === 'changes');
  assert.deepEqual(
    moved.changes.map(({ type, token, upload: told }) => ({ type, token, told })),
    [{ type: 'upload', token: 'upl_1', told: upload }],
  );
});

test('the same token gets the same answer, whatever comes with it', async () => {
  const account = await studio.connect();
  const first = await account.upload('upl_same', await makePicture());
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
  const media = path.join(studio.dataDirectory, 'media');
  const atFirst = await listKeys(media);
  await account.upload('upl_gone', await makePicture());
  assert.equal((await listKeys(media)).length, atFirst.length + 1);
  for (const token of ['upl_gone', 'upl_never'])
    assert.deepEqual((await account.call('DELETE', `/api/uploads/${token}`)).body, { deleted: true });
  assert.deepEqual(await listKeys(media), atFirst);
  assert.equal((await account.call('GET', '/api/uploads/upl_gone')).status, 404);
  assert.equal((await account.upload('upl_gone', await makePicture())).status, 409);
  assert.deepEqual(await listKeys(media), atFirst);
});

test('names that the rules refuse are rejected with a sentence', async () => {
  const account = await studio.connect();
  await account.upload('upl_bad', await makePicture(), { file_name: 'my sandbox-rejected.png' });
  const upload = await account.checked('upl_bad');
  assert.equal(upload.status, 'rejected');
  assert.match(upload.error ?? '', /rules of this studio/);
});
