import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioAsset, StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import { addLibraryItem, OperatorError } from '@renderkit/studio/operator.ts';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

let studio: TestStudio;
let imageFile: string;
let videoFile: string;
before(async () => {
  studio = await startTestStudio({ worker: false });
  imageFile = path.join(studio.dataDirectory, 'image.png');
  videoFile = path.join(studio.dataDirectory, 'video.mp4');
  await writeFile(imageFile, await makeImage());
  await makeMedia(studio.dataDirectory, 'video.mp4', { seconds: 2 });
});
after(async () => studio[Symbol.asyncDispose]());

const add = (account: TestAccount, more: { file?: string; project?: string; prompt?: string } = {}) =>
  addLibraryItem(studio.database, {
    email: account.email,
    ...studio.mediaLocation,
    file: imageFile,
    ...more,
  });
async function list(account: TestAccount, filters: Record<string, string> = {}): Promise<string[]> {
  const query = new URLSearchParams({ page: '1', limit: '20', ...filters }).toString();
  const { body, status } = await account.call<StudioAnswer<'listAssets'>>('GET', `/api/assets?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.assets.map(({ id }) => id);
}
const newProject = async (account: TestAccount, title = 'Sea') =>
  (await account.call<StudioProject>('POST', '/api/projects', { title })).body.id;

test('the library lists newest first, and by each filter, and by all of them at once', async () => {
  const account = await studio.connect();
  const stranger = await studio.connect();
  const project = await newProject(account);
  const lighthouse = await add(account, { prompt: "A lighthouse's lamp by the Sea", project });
  const sea = await add(account, { prompt: 'seaside, in winter' });
  const video = await add(account, { prompt: 'a lighthouse at night', file: videoFile, project });
  await add(stranger, { prompt: 'another lighthouse' });
  assert.deepEqual(await list(account), [video.id, sea.id, lighthouse.id]);
  assert.deepEqual(await list(account, { limit: '2' }), [video.id, sea.id]);
  assert.deepEqual(await list(account, { limit: '2', page: '2' }), [lighthouse.id]);
  assert.deepEqual(await list(account, { page: '9' }), []);
  assert.deepEqual(await list(account, { type: 'video' }), [video.id]);
  assert.deepEqual(await list(account, { type: 'image' }), [sea.id, lighthouse.id]);
  assert.deepEqual(await list(account, { project_id: project }), [video.id, lighthouse.id]);
  assert.deepEqual(await list(stranger, { project_id: project }), []);
  const favorite = await account.call<StudioAsset>('PATCH', `/api/assets/image/${lighthouse.id}`, {
    favorite: true,
  });
  assert.equal(favorite.body.favorite, true);
  assert.deepEqual(await list(account, { favorites: 'true' }), [lighthouse.id]);
  assert.deepEqual(await list(account, { favorites: 'false' }), [video.id, sea.id]);
  for (const [search, found] of Object.entries({
    lighthouse: [video.id, lighthouse.id],
    'LIGHT sea': [lighthouse.id],
    sea: [sea.id, lighthouse.id],
    "lighthouse's": [lighthouse.id],
    'by, the & sea!': [lighthouse.id],
    mountain: [],
    "'; drop table": [],
    '\\': [],
    ' ': [video.id, sea.id, lighthouse.id],
  }))
    assert.deepEqual(await list(account, { search }), found, search);
  assert.deepEqual(
    await list(account, { search: 'light', type: 'image', project_id: project, favorites: 'true' }),
    [lighthouse.id],
  );
});

test('the library lists what was made between two moments', async () => {
  const account = await studio.connect();
  const [first, second, third] = [
    await add(account),
    await add(account),
    await add(account, { prompt: 'x' }),
  ];
  const at = ['2026-10-01T10:00:00Z', '2026-10-02T10:00:00Z', '2026-10-03T10:00:00Z'];
  for (const [i, { id }] of [first, second, third].entries())
    await studio.database.rows('update assets set created_at = $2 where id = $1', [id, at[i]]);
  assert.deepEqual(await list(account, { made_from: '2026-10-02T12:00:00+02:00' }), [third.id, second.id]);
  assert.deepEqual(await list(account, { made_before: '2026-10-02T10:00:00Z' }), [first.id]);
  assert.deepEqual(
    await list(account, { made_from: '2026-10-02T00:00:00Z', made_before: '2026-10-03T00:00:00Z' }),
    [second.id],
  );
  assert.deepEqual(await list(account, { made_from: '2026-10-02T00:00:00Z', search: 'x' }), [third.id]);
  const { status } = await account.call('GET', '/api/assets?page=1&limit=20&made_from=2026-19-39T00:00:00Z');
  assert.equal(status, 400);
});

test('items move into a project together, and what is not theirs stays where it is', async () => {
  const account = await studio.connect();
  const stranger = await studio.connect();
  const project = await newProject(account);
  const [one, two] = [await add(account, { prompt: 'a pier' }), await add(account, { file: videoFile })];
  const foreign = await add(stranger);
  const move = (ids: string[], to: string | null) =>
    account.call<StudioAnswer<'moveAssets'>>('POST', '/api/assets/move', { ids, project_id: to });
  const moved = await move([one.id, two.id, foreign.id, 'ast_none'], project);
  assert.deepEqual(moved.body.moved.toSorted(), [one.id, two.id].toSorted());
  assert.deepEqual(await list(account, { project_id: project }), [two.id, one.id]);
  assert.equal((await move([one.id], null)).status, 200);
  assert.deepEqual(await list(account, { project_id: project }), [two.id]);
  for (const none of ['prj_none', await newProject(stranger)])
    assert.equal((await move([one.id], none)).status, 404, none);
  const looked = await account.call<StudioAnswer<'lookUpAssets'>>('POST', '/api/assets/lookup', {
    ids: [one.id, foreign.id, 'ast_none'],
  });
  assert.deepEqual(
    looked.body.assets.map(({ id, prompt, token, frame_of }) => [id, prompt, token, frame_of]),
    [[one.id, 'a pier', null, null]],
  );
});

test('a project keeps one of the same still, whatever moves into it', async () => {
  const account = await studio.connect();
  const [sea, land] = [await newProject(account), await newProject(account, 'Land')];
  const video = await add(account, { file: videoFile });
  const still = async (project: string) =>
    (
      await account.call<StudioAnswer<'takeFrame'>>('POST', `/api/videos/${video.id}/frames`, {
        time: 1,
        project_id: project,
      })
    ).body.asset_id ?? '';
  const [inSea, inLand] = [await still(sea), await still(land)];
  const move = async (ids: string[], to: string) =>
    (
      await account.call<StudioAnswer<'moveAssets'>>('POST', '/api/assets/move', { ids, project_id: to })
    ).body.moved.toSorted();
  assert.deepEqual(await move([inSea], land), []);
  assert.deepEqual(await move([inSea, inLand], land), [inLand]);
  const third = await newProject(account, 'Third');
  assert.equal((await move([inSea, inLand], third)).length, 1, 'two of the same at once');
});

test('what no database can hold is a bad request', async () => {
  const account = await studio.connect();
  for (const way of [
    'assets?page=1&limit=20&search=%00',
    'assets/image/%00',
    'uploads/a%00',
    'projects/%00b',
  ])
    assert.equal((await account.call('GET', `/api/${way}`)).status, 400, way);
});

test('an item is found under its own type alone, by its owner alone', async () => {
  const account = await studio.connect();
  const stranger = await studio.connect();
  const image = await add(account, { prompt: 'a pier' });
  const video = await add(account, { file: videoFile });
  const status = async (who: TestAccount, way: string) =>
    (await who.call('GET', `/api/assets/${way}`)).status;
  assert.equal(await status(account, `image/${image.id}`), 200);
  assert.equal(await status(account, `video/${video.id}`), 200);
  for (const way of [`image/${video.id}`, `video/${image.id}`, `frame/${image.id}`, 'image/ast_none'])
    assert.equal(await status(account, way), 404, way);
  assert.equal(await status(stranger, `image/${image.id}`), 404);
  for (const [method, body] of [['PATCH', { favorite: true }], ['DELETE']] as const)
    for (const [who, way] of [
      [stranger, `image/${image.id}`],
      [account, `frame/${image.id}`],
      [account, `video/${image.id}`],
    ] as const)
      assert.equal((await who.call(method, `/api/assets/${way}`, body)).status, 404, `${method} ${way}`);
  const { body } = await account.call<StudioAsset>('GET', `/api/assets/video/${video.id}`);
  assert.deepEqual(
    [body.type, body.generation_type, body.width, body.height, body.duration, body.aspect_ratio],
    ['video', 'video', 128, 96, 2, '4:3'],
  );
});

test('a deleted item takes its files along, and its project shows the one before', async () => {
  const account = await studio.connect();
  const project = await newProject(account);
  const first = await add(account, { project });
  const second = await add(account, { project, file: videoFile });
  const shown = async () =>
    (await account.call<StudioProject>('GET', `/api/projects/${project}`)).body.last_generation?.url;
  assert.equal((await shown())?.split('/').at(-1), `${second.id}.mp4`);
  const atFirst = await studio.mediaKeys();
  const { body } = await account.call('DELETE', `/api/assets/video/${second.id}`);
  assert.deepEqual(body, { deleted: true });
  assert.ok((await studio.mediaKeys()).length < atFirst.length);
  assert.equal((await shown())?.split('/').at(-1), `${first.id}.png`);
  assert.equal((await account.call('DELETE', `/api/assets/video/${second.id}`)).status, 404);
  assert.deepEqual(await studio.database.rows('select from loose_folders'), []);
});

test('a project is renamed, and deleted without what was made in it', async () => {
  const account = await studio.connect();
  const stranger = await studio.connect();
  const project = await newProject(account);
  const item = await add(account, { project });
  await account.upload('upl_in_project', await makeImage(), { project_id: project });
  const renamed = await account.call<StudioProject>('PATCH', `/api/projects/${project}`, {
    title: 'Coast 2',
  });
  assert.equal(renamed.body.title, 'Coast 2');
  assert.equal((await account.call('PATCH', `/api/projects/${project}`, { title: 'Coast!' })).status, 400);
  for (const [method, body] of [['PATCH', { title: 'Theirs' }], ['DELETE']] as const)
    assert.equal((await stranger.call(method, `/api/projects/${project}`, body)).status, 404);
  assert.deepEqual((await account.call('DELETE', `/api/projects/${project}`)).body, { deleted: true });
  assert.equal((await account.call('GET', `/api/projects/${project}`)).status, 404);
  assert.equal((await account.call('DELETE', `/api/projects/${project}`)).status, 404);
  const { body: kept } = await account.call<StudioAsset>('GET', `/api/assets/image/${item.id}`);
  assert.equal(kept.project_id, null);
  const { body: upload } = await account.call<{ project_id: null }>('GET', '/api/uploads/upl_in_project');
  assert.equal(upload.project_id, null);
});

test('a render whose project is deleted meanwhile is finished into no project, and the next makes one again', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const sketch = { model: 'sketch-1' };
  const submitted = await account.submit('gen_1', sketch);
  assert.ok(submitted.outcome === 'accepted');
  const { project_id } = submitted.render;
  assert.deepEqual((await account.call('DELETE', `/api/projects/${project_id}`)).body, { deleted: true });
  await using _ = await studio.startWorker();
  const { outputs, status } = await account.finished('gen_1');
  assert.equal(status, 'succeeded');
  const { body } = await account.call<StudioAsset>('GET', `/api/assets/image/${outputs[0]?.id}`);
  assert.deepEqual([body.project_id, body.generation_type], [null, 'image']);
  const next = await account.submit('gen_2', sketch);
  assert.ok(next.outcome === 'accepted' && next.render.project_id !== project_id);
  await account.finished('gen_2');
});

test('the operator is told what cannot be added', async () => {
  const account = await studio.connect();
  const text = path.join(studio.dataDirectory, 'words.png');
  await writeFile(text, 'words');
  for (const more of [{ file: text }, { file: '/nowhere.png' }, { project: 'prj_none' }])
    await assert.rejects(add(account, more), OperatorError, JSON.stringify(more));
});
