import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import { addLibraryItem, setAccount } from '@renderkit/studio/operator.ts';
import { request, startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

const megabyte = 1024 * 1024;

let studio: TestStudio;
let videoBytes: Buffer;
let imageBytes: Buffer;
before(async () => {
  studio = await startTestStudio();
  videoBytes = await makeMedia(studio.dataDirectory, 'video.mp4', { seconds: 2 });
  imageBytes = await makeImage();
});
after(async () => studio[Symbol.asyncDispose]());

const storageOf = async (account: TestAccount) =>
  (await account.call<StudioStorage>('GET', '/api/storage')).body;
const limitTo = (account: TestAccount, bytes: number | null) =>
  setAccount(studio.database, account.email, { storageBytes: bytes });
const addVideo = ({ email }: TestAccount) =>
  addLibraryItem(studio.database, {
    email,
    ...studio.mediaLocation,
    file: path.join(studio.dataDirectory, 'video.mp4'),
  });
const take = (account: TestAccount, video: string, time: number, project: string | null = null) =>
  account.call<StudioAnswer<'takeFrame'> & { code?: string; storage?: unknown }>(
    'POST',
    `/api/videos/${video}/frames`,
    { time, project_id: project },
  );
const refusalOf = (body: StudioAnswer<'storeUpload'>) =>
  body.outcome === 'refused' ? body.refusal : undefined;

test('an account is told what its uploads and its library take, to the byte', async () => {
  const account = await studio.connect({ tier: 'pro' });
  assert.deepEqual(await storageOf(account), {
    used_bytes: 0,
    limit_bytes: 250 * 1024 ** 3,
    uploads_bytes: 0,
    outputs_bytes: 0,
  });
  await account.upload('upl_1', imageBytes);
  await account.upload('upl_2', imageBytes, { hidden: 'true' });
  await account.submit('gen_1');
  const { outputs } = await account.finished('gen_1');
  const drawn = Buffer.from(await (await fetch(outputs[0]?.url ?? '')).arrayBuffer()).length;
  const video = await addVideo(account);
  const { body: frame } = await take(account, video.id, 0);
  const frameBytes = (await (await fetch(frame.url)).arrayBuffer()).byteLength;
  assert.deepEqual(await storageOf(account), {
    used_bytes: 2 * imageBytes.length + drawn + videoBytes.length + frameBytes,
    limit_bytes: 250 * 1024 ** 3,
    uploads_bytes: 2 * imageBytes.length,
    outputs_bytes: drawn + videoBytes.length + frameBytes,
  });

  await account.call('DELETE', '/api/uploads/upl_1');
  await account.call('DELETE', `/api/assets/video/${video.id}`);
  const left = await storageOf(account);
  assert.deepEqual([left.uploads_bytes, left.outputs_bytes], [imageBytes.length, drawn]);
});

test('the bytes of a rejected upload are given back with its file', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await account.upload('upl_1', imageBytes, { file_name: 'sandbox-rejected.png' });
  assert.equal((await account.checked('upl_1')).status, 'rejected');
  assert.equal((await storageOf(account)).used_bytes, 0);
  await account.call('DELETE', '/api/uploads/upl_1');
  assert.equal((await storageOf(account)).used_bytes, 0);
});

test('a file that does not fit is refused with what is used of how much, and leaves nothing', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await limitTo(account, imageBytes.length + 10);
  assert.equal((await account.upload('upl_1', imageBytes)).body.outcome, 'stored');
  const stored = await studio.mediaKeys();
  const { status, body } = await account.upload('upl_2', imageBytes);
  assert.equal(status, 200);
  assert.equal(refusalOf(body)?.code, 'storage_full');
  assert.deepEqual(refusalOf(body)?.storage, {
    used_bytes: imageBytes.length,
    limit_bytes: imageBytes.length + 10,
  });
  assert.deepEqual(await studio.mediaKeys(), stored);
  assert.deepEqual(
    await studio.database.rows('select from loose_folders where account_id = $1', [account.id]),
    [],
  );
  // The same token, when there is room.
  await account.call('DELETE', '/api/uploads/upl_1');
  assert.equal((await account.upload('upl_2', imageBytes)).body.outcome, 'stored');
});

/** Begins an upload without a length. */
function beginUpload(account: TestAccount, token: string, query = '') {
  const call = http.request(`${studio.url}/api/uploads/${token}${query}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${account.accessToken}`,
      'content-type': 'application/octet-stream',
      'transfer-encoding': 'chunked',
    },
  });
  call.on('error', () => undefined);
  const answer = once(call, 'response').then(async ([response]) => {
    const text = Buffer.concat(await Array.fromAsync(response as http.IncomingMessage)).toString();
    return JSON.parse(text) as StudioAnswer<'storeUpload'>;
  });
  return { call, answer };
}

/** The beginning of a PNG: files of this kind may have at most 50 MB. */
const beginning = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.alloc(megabyte),
]);

test('a file of unknown length is cut off as soon as it passes the limit', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await limitTo(account, 5 * megabyte);
  const { call, answer } = beginUpload(account, 'upl_1');
  let sent = 0;
  const state = { answered: false };
  void answer.then(() => (state.answered = true));
  for (; !state.answered && sent < 40; sent++)
    // Sends no faster than the studio reads.
    if (!call.write(sent === 0 ? beginning : Buffer.alloc(megabyte)))
      await Promise.race([new Promise((resolve) => call.once('drain', resolve)), answer]);
  assert.equal(refusalOf(await answer)?.code, 'storage_full');
  assert.ok(sent < 40, `${sent} MB were taken in`);
  assert.equal((await storageOf(account)).used_bytes, 0);
  assert.equal((await account.upload('upl_1', imageBytes)).body.outcome, 'stored');
});

test('a file whose announced length does not fit is refused before its bytes', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await limitTo(account, megabyte);
  const { call, answer } = beginUpload(account, 'upl_1', `?least_bytes=${2 * megabyte}`);
  call.flushHeaders();
  assert.equal(refusalOf(await answer)?.code, 'storage_full');
  call.destroy();
});

test('what one file has reserved on its way no other gets, and a file that was cut off gives it back', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await limitTo(account, megabyte);
  const first = beginUpload(account, 'upl_1', `?least_bytes=${megabyte - 100}`);
  first.call.write(imageBytes.subarray(0, 20));
  const reserved = async () =>
    (
      await studio.database.rows<{ bytes: number }>(
        'select coalesce(sum(reserved_bytes), 0)::bigint as bytes from loose_folders where account_id = $1',
        [account.id],
      )
    )[0]?.bytes ?? 0;
  while ((await reserved()) === 0) await sleep(10);
  assert.equal(refusalOf((await account.upload('upl_2', imageBytes)).body)?.code, 'storage_full');
  first.answer.catch(() => undefined);
  first.call.destroy();
  while ((await reserved()) > 0) await sleep(10);
  assert.equal((await account.upload('upl_2', imageBytes)).body.outcome, 'stored');
});

test('of many files at once no more are taken than fit', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await limitTo(account, 5 * imageBytes.length);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => account.upload(`upl_${i}`, imageBytes)),
  );
  const stored = answers.filter(({ body }) => body.outcome === 'stored').length;
  assert.equal(stored, 5);
  assert.equal((await storageOf(account)).used_bytes, 5 * imageBytes.length);
});

test('a full account gets no quote, an estimate all the same, and what was quoted before is rendered and kept', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { quote } = await account.quote();
  await limitTo(account, 0);
  const refused = await account.quote();
  assert.equal(refused.quote, null);
  assert.equal(refused.refusal?.code, 'storage_full');
  assert.deepEqual(refused.refusal?.storage, { used_bytes: 0, limit_bytes: 0 });
  assert.equal((await account.quote({}, false)).refusal, null);

  const { body } = await account.call<StudioAnswer<'submitRender'>>('PUT', '/api/renders/gen_1', {
    quote,
    request: request(),
  });
  assert.equal(body.outcome, 'accepted');
  assert.equal((await account.finished('gen_1')).outputs.length, 1);
  const storage = await storageOf(account);
  assert.ok(storage.used_bytes > storage.limit_bytes);
});

test("the operator's limit goes before the plan's until it is taken back", async () => {
  const account = await studio.connect();
  assert.equal((await storageOf(account)).limit_bytes, 2 * 1024 ** 3);
  await limitTo(account, 7 * megabyte);
  const changed = await setAccount(studio.database, account.email, { tier: 'plus' });
  assert.deepEqual([changed.storage.limit_bytes, changed.storage_set], [7 * megabyte, true]);
  const back = await limitTo(account, null);
  assert.deepEqual([back.storage.limit_bytes, back.storage_set], [50 * 1024 ** 3, false]);
});

test('a full account takes no new frame, kept or not, and gets those that are there', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { body: project } = await account.call<StudioProject>('POST', '/api/projects', { title: 'Frames' });
  const video = await addVideo(account);
  const known = await take(account, video.id, 0);
  const kept = await take(account, video.id, 0, project.id);
  const { used_bytes: used } = await storageOf(account);
  await limitTo(account, used);
  for (const refused of [await take(account, video.id, 1), await take(account, video.id, 1, project.id)]) {
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'storage_full');
    assert.deepEqual(refused.body.storage, { used_bytes: used, limit_bytes: used });
  }
  assert.equal((await take(account, video.id, 0)).body.url, known.body.url);
  assert.equal((await take(account, video.id, 0, project.id)).body.url, kept.body.url);
  // One free byte is not enough for a frame.
  await limitTo(account, used + 1);
  assert.equal((await take(account, video.id, 1, project.id)).status, 403);
  assert.equal((await storageOf(account)).used_bytes, used);
});

test('a frame that nobody keeps goes days after it was last asked for, and gives its bytes back', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { body: project } = await account.call<StudioProject>('POST', '/api/projects', { title: 'Frames' });
  const video = await addVideo(account);
  const { body: kept } = await take(account, video.id, 0, project.id);
  const { used_bytes: withoutFrame } = await storageOf(account);
  const { body: frame } = await take(account, video.id, 0);
  const age = (hours: number) =>
    studio.database.rows(`update frames set kept_until = kept_until - $1 * interval '1 hour'`, [hours]);
  await age(40);
  assert.equal((await take(account, video.id, 0)).body.url, frame.url);
  await age(20);
  await studio.clean();
  assert.equal((await fetch(frame.url)).status, 200);
  await age(5);
  await studio.clean();
  assert.equal((await fetch(frame.url)).status, 404);
  assert.equal((await fetch(kept.url)).status, 200);
  assert.equal((await storageOf(account)).used_bytes, withoutFrame);
  assert.equal((await take(account, video.id, 0)).status, 200);
});
