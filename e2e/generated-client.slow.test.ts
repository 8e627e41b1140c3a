import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AxiosResponse } from 'axios';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';

type Fields = Record<string, unknown> & {
  id: string;
  object: string;
  status: string;
  data: Fields[];
  outputs: { id: string; url: string }[];
};
type Operation = (
  parameters?: Record<string, unknown> | null,
  body?: unknown,
) => Promise<AxiosResponse<Fields>>;

/** Makes a client with a library from the document that the service serves, and records which operations it called. */
async function generateClient(platform: Platform, key: string) {
  const [baseURL = ''] = platform.serviceUrls;
  const api = new OpenAPIClientAxios({
    definition: `${baseURL}/openapi.json`,
    axiosConfigDefaults: { baseURL, headers: { authorization: `Bearer ${key}` } },
  });
  const client = await api.init();
  const called = new Set<string>();
  return {
    operationIds: api.getOperations().map(({ operationId }) => operationId),
    called,
    call: async (operationId: string, parameters?: Record<string, unknown> | null, body?: unknown) => {
      called.add(operationId);
      const answer = await (client as unknown as Record<string, Operation>)[operationId]?.(parameters, body);
      assert.ok(answer !== undefined, `the client has no ${operationId}`);
      return answer.data;
    },
  };
}

test('a client generated from the OpenAPI document runs an example of every operation', async () => {
  await using platform = await startPlatform();
  const person = await platform.createAccount({ tier: 'pro' });
  const { operationIds, called, call } = await generateClient(platform, await platform.createKey(person));
  const finished = async (generation: Fields) => {
    const ended = await call('getGeneration', { id: generation.id, wait: 60 });
    assert.equal(ended.status, 'succeeded', JSON.stringify(ended['error']));
    return ended;
  };

  assert.equal((await call('getAccount')).object, 'account');
  assert.equal((await call('getBalance')).object, 'balance');
  assert.equal((await call('getLimits')).object, 'limits');
  assert.equal((await call('getStorage')).object, 'storage');
  assert.equal((await call('getKey')).object, 'key');
  const [model] = (await call('listModels', { suite: 'image' })).data;
  assert.equal((await call('getModel', { id: model?.id })).id, model?.id);
  assert.equal((await call('listStyles')).object, 'list');
  assert.equal((await call('listSuggestions', { suite: 'image' })).object, 'list');

  const project = await call('createProject', null, { title: 'A client of its own' });
  assert.equal((await call('updateProject', { id: project.id }, { title: 'Renamed' }))['title'], 'Renamed');
  assert.equal((await call('getProject', { id: project.id }))['title'], 'Renamed');
  assert.equal((await call('listProjects', { search: 'Renamed' })).data.length, 1);

  const draft = { model: 'sketch-1', prompt: 'a calm lake at dawn', project_id: project.id };
  assert.equal((await call('estimate', null, { kind: 'image', ...draft })).object, 'estimate');
  const picture = await finished(await call('createImageGeneration', null, draft));
  const pictureId = picture.outputs[0]?.id ?? '';
  assert.equal((await call('getProgress', { id: picture.id }))['stage'], 'done');
  assert.deepEqual((await call('getGenerationRequest', { id: picture.id }))['body'], draft);
  const stream: unknown = await call('watchGeneration', { id: picture.id });
  assert.match(stream as string, /^event: done$/m);
  const file = new FormData();
  const bytes = await (await fetch(picture.outputs[0]?.url ?? '')).arrayBuffer();
  file.set('file', new Blob([bytes], { type: 'image/png' }), 'lake.png');
  const upload = await call('createUpload', null, file);
  assert.equal((await call('getUpload', { id: upload.id })).id, upload.id);
  await finished(
    await call('createImageEdit', null, { image: upload.id, prompt: 'the same in winter', strength: 0.4 }),
  );
  assert.equal((await call('deleteUpload', { id: upload.id }))['deleted'], true);
  const filming = await call('createVideoGeneration', null, {
    prompt: 'clouds drift over hills',
    duration: 3,
  });
  // There is no preview until the first one was made.
  const preview = () => call('getPreview', { id: filming.id, index: '0' }).catch(() => undefined);
  while ((await preview()) === undefined) await sleep(200);
  const video = await finished(filming);
  const videoId = video.outputs[0]?.id ?? '';
  assert.equal((await call('createFrame', { id: videoId }, { time: 'last' })).object, 'frame');
  await finished(await call('extendVideo', null, { video_id: videoId, prompt: 'the sun sets', duration: 3 }));

  // More than may run at once: some wait, and can be canceled.
  await Promise.all(
    Array.from({ length: 9 }, () =>
      call('createImageGeneration', null, { model: 'sandbox-slow', prompt: 'a slow boat' }),
    ),
  );
  const [waiting, another] = (await call('listGenerations', { status: 'queued' })).data;
  assert.equal((await call('cancelGeneration', { id: waiting?.id })).status, 'canceled');
  assert.equal((await call('stopGeneration', { id: another?.id })).status, 'canceled');
  assert.ok((await call('listGenerations', { kind: 'image' })).data.length > 9);
  assert.equal((await call('listEvents')).object, 'list');

  assert.equal((await call('getImageAsset', { id: pictureId })).id, pictureId);
  assert.ok((await call('listAssets', { type: 'image' })).data.length > 0);
  const asset = { type: 'image', id: pictureId };
  assert.equal((await call('updateAsset', asset, { favorite: true }))['favorite'], true);
  assert.equal((await call('deleteAsset', asset))['deleted'], true);
  assert.equal((await call('deleteProject', { id: project.id }))['deleted'], true);

  assert.deepEqual(called, new Set(operationIds));
});
