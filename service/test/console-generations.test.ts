import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exampleVideoModel } from '@renderkit/contract/studio/examples/models.ts';
import type { Generation, GenerationRequest } from '@renderkit/contract/v1/schemas/generation.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { type ConsoleCaller, signedIn } from './console-caller.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

let service: TestService;
let studio: ScriptedRenders;
let person: ConsoleCaller;
before(async () => {
  service = await startTestService({ reconcileMs: 200, retryMs: 50 });
  service.studio.catalog.models.push(exampleVideoModel({ default_for: [] }));
  studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 100_000_000;
  person = await signedIn(service);
});
after(() => service[Symbol.asyncDispose]());

const key = (name: string) => person.call('createKey', { body: { name, scopes: ['read', 'generate'] } });
const create = async (secret: string, body: object, path = '/v1/images/generations') => {
  const answer = await service.ask<Generation>(path, { key: secret, body });
  assert.equal(answer.status, 202, answer.text);
  return answer.body.id;
};
const rows = async (query: object = {}) => (await person.call('listGenerationRows', { query })).data;
const detail = (id: string) => person.call('getGenerationDetail', { params: { id } });
const ids = async (query: object) => (await rows(query)).map(({ generation: { id } }) => id);

async function finish(id: string, how: Parameters<ScriptedRenders['finish']>[1] = {}): Promise<void> {
  await until('the submit', () => studio.renders.has(id));
  studio.finish(id, how);
  await until('the end', async () => (await detail(id)).generation.completed_at !== null);
}

test('rows name the key and show how the prompt begins; the console has a name of its own', async () => {
  const named = await key('<b>of a script</b>');
  const prompt = `<script>alert(1)</script> ${'🌊'.repeat(300)}`;
  const byKey = await create(named.key, { prompt });
  const byPerson = await person.browser.ask<Generation>('/console/api/v1/images/generations', {
    body: { prompt: 'mine' },
  });
  assert.equal(byPerson.status, 202, byPerson.text);
  await finish(byKey);
  await person.call('revokeKey', { params: { id: named.id } });
  const [mine, theirs] = await rows();
  assert.deepEqual(
    [mine?.generation.id, mine?.key.name, mine?.key.console, mine?.prompt],
    [byPerson.body.id, 'Console', true, 'mine'],
  );
  assert.deepEqual(theirs?.key, { id: named.id, name: '<b>of a script</b>', console: false });
  assert.equal(theirs?.prompt, [...prompt].slice(0, 200).join(''));
  assert.deepEqual(
    theirs?.generation,
    (await person.browser.ask(`/console/api/v1/generations/${byKey}`)).body,
  );
  await service.database.rows('delete from generation_requests where generation_id = $1', [byKey]);
  assert.equal((await detail(byKey)).prompt, null);
  assert.equal((await detail(byKey)).request.body, '{}');
  await finish(byPerson.body.id);
});

test('what was made from an item of the library is found by it, and nothing of another account', async () => {
  const { key: secret } = await key('sources');
  const edit = (image: string, more: object = {}) =>
    create(secret, { prompt: 'in winter', image, ...more }, '/v1/images/edits');
  const first = await edit('ast_parent');
  const second = await create(
    secret,
    {
      model: 'reel',
      prompt: 'a winter',
      duration: 10,
      start_image: 'ast_third',
      reference_images: ['ast_parent'],
    },
    '/v1/videos/generations',
  );
  const prompted = await create(secret, { prompt: '<ast_parent ast_parent source' });
  assert.deepEqual(await ids({ source: 'ast_parent' }), [second, first]);
  assert.deepEqual(await ids({ source: 'ast_third', search: 'winter' }), [second]);
  assert.deepEqual(await ids({ source: 'ast_third', search: 'summer' }), []);
  for (const strange of ['ast_par', "ast_'parent", 'a\\', '<', ' & ', "'", ':*'])
    assert.deepEqual(await ids({ source: strange }), [], strange);
  assert.deepEqual(await ids({ search: 'ast_parent' }), [prompted]);
  const stranger = await signedIn(service, await service.connectAccount());
  const { data } = await stranger.call('listGenerationRows', { query: { source: 'ast_parent' } });
  assert.deepEqual(data, []);
});

test('a generation is shown with its request, its event and what was delivered of it', async () => {
  const { key: secret } = await key('detailed');
  const hook = { body: { url: 'https://8.8.8.8/', events: ['generation.failed'] } };
  const endpoint = await person.call('createWebhook', hook);
  const body = { model: 'plain', prompt: 'a calm sea', metadata: { order: '4711' } };
  const id = await create(secret, body);
  const before_ = await detail(id);
  assert.deepEqual([before_.event, before_.request.method], [null, 'POST']);
  await finish(id, { status: 'failed', error: { code: 'engine_error', message: 'it broke' } });
  const after_ = await detail(id);
  assert.equal(after_.request.path, '/v1/images/generations');
  const sent = JSON.parse(after_.request.body) as Record<string, unknown>;
  for (const [name, value] of Object.entries(body)) assert.deepEqual(sent[name], value, name);
  assert.equal(after_.event?.type, 'generation.failed');
  assert.deepEqual(
    after_.event?.deliveries.map((one) => [one.endpoint_id, one.event_id]),
    [[endpoint.id, after_.event.id]],
  );
  // The body that is shown can be sent again unchanged.
  const again = await create(secret, sent);
  assert.deepEqual(JSON.parse((await detail(again)).request.body), sent);
  await finish(again);
  await person.call('deleteWebhook', { params: { id: endpoint.id } });
});

test('the request is told as it was sent, with how its outputs were made, and as it is made again', async () => {
  const { key: secret } = await key('repeated');
  const requestOf = async (id: string) =>
    (await service.ask<GenerationRequest>(`/v1/generations/${id}/request`, { key: secret })).body;
  const body = { prompt: 'a calm sea', metadata: { order: '4711' }, options: {} };
  const id = await create(secret, body);
  const before_ = await requestOf(id);
  assert.deepEqual([before_.body, before_.seed, before_.model_version], [body, null, null]);
  const made = { seed: 4_294_967_295, model_version: 3, backend: 'gpu2', seconds: 1.5 };
  await finish(id, { outputs: 2, made });
  const { generation, provenance } = await detail(id);
  assert.deepEqual(
    provenance,
    generation.outputs.map((output) => ({ id: output.id, ...made })),
  );
  const after_ = await requestOf(id);
  assert.deepEqual(after_, { ...before_, seed: made.seed, model_version: 3, repeat: after_.repeat });
  assert.ok(!JSON.stringify(after_).includes('gpu2'), 'the machines are nobody else’s affair');

  // A studio without provenance, and a row of the release before, which has no sent body.
  const other = await create(secret, body);
  await finish(other);
  assert.deepEqual((await detail(other)).provenance, []);
  await service.database.rows('update generation_requests set sent_body = null where generation_id = $1', [
    other,
  ]);
  const known = await requestOf(other);
  assert.deepEqual([known.body, known.seed], [known.repeat, null]);
  assert.equal(known.body?.['prompt'], body.prompt);
  await service.database.rows('delete from generation_requests where generation_id = $1', [other]);
  const erased = await requestOf(other);
  assert.deepEqual([erased.body, erased.repeat], [null, null]);
});

test('rows are filtered by status, kind and key, over the days of a key, in pages', async () => {
  const [one, other] = [await key('one'), await key('other')];
  const made: string[] = [];
  for (const day of [-3, -1, 0]) {
    await moveClock(service.database, day * 86_400);
    for (let i = 0; i < 3; i++) {
      made.unshift(await create(one.key, { prompt: `${day} ${i}` }));
      await create(other.key, { prompt: 'of the other' });
    }
  }
  assert.deepEqual(await ids({ key_id: one.id }), made);
  assert.deepEqual(await ids({ key_id: one.id, limit: 4 }), made.slice(0, 4));
  assert.deepEqual(await ids({ key_id: one.id, limit: 4, page: 3 }), made.slice(8));
  const page = await person.call('listGenerationRows', { query: { key_id: one.id, limit: 4, page: 2 } });
  assert.deepEqual([page.has_more, page.data.length], [true, 4]);
  for (const id of made.slice(0, 2)) {
    const answer = await person.browser.ask(`/console/api/v1/generations/${id}/cancel`, { method: 'POST' });
    if (answer.status === 409) await finish(id, { status: 'failed' });
  }
  const final = (await rows({ key_id: one.id })).filter(({ generation }) =>
    ['canceled', 'failed'].includes(generation.status),
  );
  for (const status of ['canceled', 'failed'])
    assert.deepEqual(
      await ids({ key_id: one.id, status }),
      final.filter(({ generation }) => generation.status === status).map(({ generation }) => generation.id),
    );
  assert.deepEqual(await ids({ key_id: one.id, kind: 'image' }), made);
  assert.deepEqual(await ids({ key_id: one.id, kind: 'video' }), []);
  assert.deepEqual(await ids({ key_id: 'key_none' }), []);
  await person.refused('listGenerationRows', { query: { status: 'gone' } }, 'invalid_request');
});

test("another account's generations are unknown to the byte, and its keys filter nothing", async () => {
  const { id: keyId, key: secret } = await key('mine');
  const id = await create(secret, { prompt: 'private' });
  const stranger = await signedIn(service, await service.connectAccount());
  const told = (answer: { text: string }) => answer.text.replace(/req_\w+/, '');
  const ask = (asked: string) =>
    stranger.refused('getGenerationDetail', { params: { id: asked } }, 'not_found');
  assert.equal(told(await ask(id)), told(await ask('gen_00000000000000000000000000')));
  for (const query of [{}, { key_id: keyId }, { status: 'queued' }])
    assert.deepEqual((await stranger.call('listGenerationRows', { query })).data, []);
});

test('a cancel by a person is written down, one by an API key is not, nor one that comes too late', async () => {
  const { key: secret } = await key('canceling');
  const none = { limit: 0, running: 0, running_elsewhere: 0 };
  studio.limits = { overall: none, image: none, edit: none, video: none };
  await service.database.rows(
    'update accounts set limit_overall = 0, limit_image = 0, limits_read_at = clock()',
  );
  const [one, other] = [await create(secret, { prompt: 'a' }), await create(secret, { prompt: 'b' })];
  const poll = service.ask<Generation>(`/v1/generations/${one}?wait=20`, { key: secret });
  const cancel = (id: string) =>
    person.browser.ask<Generation>(`/console/api/v1/generations/${id}/cancel`, { method: 'POST' });
  assert.equal((await cancel(one)).body.status, 'canceled');
  assert.equal((await poll).body.status, 'canceled');
  assert.equal((await cancel(one)).status, 409);
  assert.equal((await cancel('gen_00000000000000000000000000')).status, 404);
  await service.ask(`/v1/generations/${other}/cancel`, { key: secret, method: 'POST' });
  const { data } = await person.call('listAudit', { query: { action: 'generation.canceled' } });
  assert.deepEqual(
    data
      .filter(({ subject_id: id }) => id === one || id === other)
      .map(({ subject_id, details, session_id }) => [subject_id, details, session_id]),
    [[one, { kind: 'image', model: 'plain' }, person.browser.sessionId]],
  );
});

test('what is shown of a video can be sent again: its length, and the addresses that it named', async () => {
  const { key: secret } = await key('addresses');
  const body = {
    model: 'reel',
    prompt: 'like this',
    duration: 10,
    start_image: 'https://8.8.8.8/a.png',
    end_image: 'lib_1',
    reference_images: ['https://8.8.8.8/a.png'],
  };
  const send = (sent: object) =>
    service.ask<Generation>('/v1/videos/generations', { key: secret, body: sent });
  const first = await send(body);
  assert.equal(first.status, 202, first.text);
  const { request } = await detail(first.body.id);
  const shown = JSON.parse(request.body) as typeof body;
  assert.equal(request.path, '/v1/videos/generations');
  for (const [name, value] of Object.entries(body))
    assert.deepEqual(shown[name as keyof typeof body], value, name);
  assert.ok(!request.body.includes('upl_'));
  const again = await send(shown);
  assert.equal(again.status, 202, again.text);
  assert.deepEqual(JSON.parse((await detail(again.body.id)).request.body), shown);
});
