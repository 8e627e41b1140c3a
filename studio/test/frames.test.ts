import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioAsset, StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import { addLibraryItem } from '@renderkit/studio/operator.ts';
import sharp from 'sharp';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeMedia } from './media-files.ts';

let studio: TestStudio;
let videoFile: string;
before(async () => {
  studio = await startTestStudio({ worker: false });
  videoFile = path.join(studio.dataDirectory, 'video.mp4');
  await makeMedia(studio.dataDirectory, 'video.mp4', { seconds: 2 });
});
after(async () => studio[Symbol.asyncDispose]());

const addVideo = (account: TestAccount) =>
  addLibraryItem(studio.database, {
    email: account.email,
    ...studio.mediaLocation,
    file: videoFile,
    prompt: 'a test card',
  });
const take = async (
  account: TestAccount,
  video: string,
  time: number | 'last',
  project: string | null = null,
) =>
  account.call<StudioAnswer<'takeFrame'>>('POST', `/api/videos/${video}/frames`, {
    time,
    project_id: project,
  });

test('the same moment of a video answers the same link, and every moment past its end the last one', async () => {
  const account = await studio.connect();
  const video = await addVideo(account);
  const [first, again, later] = await Promise.all([
    take(account, video.id, 0.5),
    take(account, video.id, 0.5),
    take(account, video.id, 1),
  ]);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.equal(first.body.url, again.body.url);
  assert.notEqual(first.body.url, later.body.url);
  assert.equal(first.body.asset_id, null);
  const frame = await fetch(first.body.url);
  assert.equal(frame.headers.get('content-type'), 'image/png');
  const { width, height } = await sharp(await frame.arrayBuffer()).metadata();
  assert.deepEqual([width, height], [128, 96]);
  const last = await take(account, video.id, 'last');
  assert.equal((await take(account, video.id, 2)).body.url, last.body.url);
  assert.equal((await take(account, video.id, 5_000)).body.url, last.body.url);
});

test('a frame that is kept is an item of its own, one for each project, and outlives its video', async () => {
  const account = await studio.connect();
  const video = await addVideo(account);
  const { body: project } = await account.call<StudioProject>('POST', '/api/projects', { title: 'Frames' });
  const [kept, again] = await Promise.all([
    take(account, video.id, 0, project.id),
    take(account, video.id, 0, project.id),
  ]);
  assert.equal(kept.status, 200, JSON.stringify(kept.body));
  const id = kept.body.asset_id ?? '';
  assert.equal(again.body.asset_id, id);
  assert.equal((await take(account, video.id, 0, project.id)).body.asset_id, id);
  const { body: item } = await account.call<StudioAsset>('GET', `/api/assets/image/${id}`);
  assert.deepEqual(
    [item.type, item.generation_type, item.project_id, item.width, item.aspect_ratio],
    ['image', 'frame', project.id, 128, '4:3'],
  );
  assert.equal((await account.call('GET', `/api/assets/frame/${id}`)).status, 200);
  assert.equal((await account.call('PATCH', `/api/assets/image/${id}`, { favorite: true })).status, 404);
  assert.equal((await account.call('PATCH', `/api/assets/frame/${id}`, { favorite: true })).status, 200);
  const { body: unkept } = await take(account, video.id, 0);
  assert.equal(kept.body.url, item.url);
  assert.equal((await account.call('DELETE', `/api/assets/video/${video.id}`)).status, 200);
  assert.equal((await fetch(unkept.url)).status, 404);
  assert.equal((await fetch(item.url ?? '')).status, 200);
  assert.equal((await fetch(item.thumb_url ?? '')).status, 200);
  assert.equal((await account.call('DELETE', `/api/assets/frame/${id}`)).status, 200);
  assert.equal((await fetch(item.url ?? '')).status, 404);
});

test('frames are of videos and in projects of the account alone', async () => {
  const account = await studio.connect();
  const stranger = await studio.connect();
  const video = await addVideo(account);
  const { body: project } = await stranger.call<StudioProject>('POST', '/api/projects', { title: 'Theirs' });
  assert.equal((await take(stranger, video.id, 0)).status, 404);
  assert.equal((await take(account, 'ast_none', 0)).status, 404);
  assert.equal((await take(account, video.id, 0, project.id)).status, 404);
  assert.equal((await take(account, video.id, -1)).status, 400);
});

test('a video that is deleted while its frame is taken leaves no file behind', async () => {
  const account = await studio.connect();
  const atFirst = await studio.mediaKeys();
  const video = await addVideo(account);
  const taking = take(account, video.id, 1.5);
  await account.call('DELETE', `/api/assets/video/${video.id}`);
  assert.ok([200, 404].includes((await taking).status));
  assert.deepEqual(await studio.mediaKeys(), atFirst);
});
