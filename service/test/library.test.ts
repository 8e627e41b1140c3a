import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { StudioOperationId } from '@renderkit/contract/studio/operations.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { assertProblem } from './assert-problem.ts';
import { exampleAsset } from './example-library.ts';
import { type Ask, startTestService, type TestService } from './harness.ts';
import type { Scripted } from './scripted-studio.ts';

describe('projects, the library and frames', () => {
  let service: TestService;
  let key: string;
  const scripted = new Set<StudioOperationId>();
  before(async () => {
    service = await startTestService();
    key = await service.createKey();
  });
  after(() => service[Symbol.asyncDispose]());
  afterEach(() => {
    for (const operation of scripted) service.studio.script(operation, undefined);
    scripted.clear();
  });

  const script = (operation: StudioOperationId, answer: Scripted) => {
    scripted.add(operation);
    service.studio.script(operation, answer);
  };
  const lastSeen = (operation: StudioOperationId) => {
    const seen = service.studio.seen.findLast((one) => one.operation === operation);
    assert.ok(seen, `${operation} was never called`);
    return seen;
  };
  const unknown = (message = 'whose?'): Scripted => ({ status: 404, json: { code: 'not_found', message } });

  test('every filter of the library reaches the studio, and none that was not sent', async () => {
    await service.ask('/v1/assets', { key });
    assert.equal(lastSeen('listAssets').url, '/api/assets?page=1&limit=20');
    const query = 'page=3&limit=7&type=video&project_id=prj_9&search=two%20words&favorites=true';
    const { status, body } = await service.ask(`/v1/assets?${query}`, { key });
    assert.equal(status, 200);
    assert.deepEqual([body['page'], body['limit']], [3, 7]);
    const seen = new URL(lastSeen('listAssets').url, 'http://x').searchParams;
    assert.deepEqual(Object.fromEntries(seen), {
      page: '3',
      limit: '7',
      type: 'video',
      project_id: 'prj_9',
      search: 'two words',
      favorites: 'true',
    });
    await service.ask('/v1/assets?favorites=false', { key });
    assert.match(lastSeen('listAssets').url, /favorites=false/);
  });

  test('filters that cannot be are refused, each at its name', async () => {
    const refused: [string, string][] = [
      ['type=frame', 'type'],
      ['type=', 'type'],
      ['favorites=yes', 'favorites'],
      ['favorites=1', 'favorites'],
      [`project_id=${'x'.repeat(101)}`, 'project_id'],
      [`search=${'x'.repeat(101)}`, 'search'],
      ['page=0', 'page'],
      ['limit=101', 'limit'],
      ['page=1000001&limit=100', 'page'],
    ];
    for (const [query, field] of refused) {
      const answer = await service.refusal(`/v1/assets?${query}`, { key });
      assertProblem(answer, 'invalid_request', query);
      assert.deepEqual(
        answer.body.errors?.map((one) => one.field),
        [field],
      );
    }
    const fine = await service.ask(`/v1/assets?search=${encodeURIComponent('😀'.repeat(100))}`, { key });
    assert.equal(fine.status, 200);
  });

  const named: { what: string; operation: StudioOperationId; path: (id: string) => string; ask: Ask }[] = [
    { what: 'show a project', operation: 'getProject', path: (id) => `/v1/projects/${id}`, ask: {} },
    {
      what: 'rename a project',
      operation: 'renameProject',
      path: (id) => `/v1/projects/${id}`,
      ask: { method: 'PATCH', body: { title: 'Winter' } },
    },
    {
      what: 'delete a project',
      operation: 'deleteProject',
      path: (id) => `/v1/projects/${id}`,
      ask: { method: 'DELETE' },
    },
    { what: 'show an image', operation: 'getAsset', path: (id) => `/v1/assets/images/${id}`, ask: {} },
    {
      what: 'mark a favorite',
      operation: 'favoriteAsset',
      path: (id) => `/v1/assets/image/${id}`,
      ask: { method: 'PATCH', body: { favorite: true } },
    },
    {
      what: 'delete an item',
      operation: 'deleteAsset',
      path: (id) => `/v1/assets/frame/${id}`,
      ask: { method: 'DELETE' },
    },
    {
      what: 'take a frame',
      operation: 'takeFrame',
      path: (id) => `/v1/videos/${id}/frames`,
      ask: { body: { time: 0 } },
    },
  ];
  for (const { what, operation, path, ask } of named) {
    test(`${what}: an id that the studio does not have is not found, whoever has it`, async () => {
      script(operation, unknown('it is somebody else’s'));
      const others = await service.refusal(path('somebodys'), { key, ...ask });
      script(operation, unknown());
      const nobodys = await service.refusal(path('nobodys'), { key, ...ask });
      script(operation, { status: 400, json: { code: 'invalid_request', message: 'no id' } });
      const strange = await service.refusal(path('a%2Fb'), { key, ...ask });
      const texts = [others, nobodys, strange].map((answer) => {
        assertProblem(answer, 'not_found', what);
        return answer.text.replace(answer.body.request_id, '');
      });
      assert.equal(new Set(texts).size, 1, texts.join('\n'));
    });

    test(`${what}: the studio's failures are told in the words of the API`, async () => {
      const failures: [Scripted, Problem['code']][] = [
        [{ status: 500, json: { code: 'internal_error', message: 'secret' } }, 'upstream_error'],
        [{ status: 403, json: { code: 'forbidden', message: 'secret' } }, 'forbidden'],
        [{ status: 503, json: { code: 'maintenance', message: 'secret' } }, 'upstream_unavailable'],
        [{ text: 'secret' }, 'upstream_error'],
        [{ json: { secret: true } }, 'upstream_error'],
      ];
      for (const [failure, code] of failures) {
        script(operation, failure);
        const answer = await service.ask(path('x'), { key, ...ask });
        assertProblem(answer, code, what);
        assert.doesNotMatch(answer.text, /secret/);
      }
    });
  }

  test('a path of another type, or an id too long, is not found and asks nobody', async () => {
    const asked = service.studio.seen.length;
    for (const path of [
      '/v1/assets/images',
      '/v1/assets/audio/x',
      '/v1/assets/images/x',
      `/v1/assets/image/${'x'.repeat(101)}`,
    ])
      assertProblem(await service.ask(path, { key, method: 'DELETE' }), 'not_found', path);
    for (const path of [`/v1/projects/${'x'.repeat(201)}`, `/v1/assets/images/${'x'.repeat(201)}`])
      assertProblem(await service.ask(path, { key }), 'not_found', path);
    assert.equal(service.studio.seen.length, asked);
  });

  test('an answer about something else, or with a foreign link, is not handed on', async () => {
    const foreign = { url: 'http://tracker.example/x.png' };
    script('getAsset', { json: exampleAsset('other') });
    assertProblem(await service.ask('/v1/assets/images/mine', { key }), 'upstream_error', 'another item');
    script('getAsset', { json: exampleAsset('mine', { type: 'video' }) });
    assertProblem(await service.ask('/v1/assets/images/mine', { key }), 'upstream_error', 'a video');
    script('getAsset', { json: exampleAsset('mine', foreign) });
    assertProblem(await service.ask('/v1/assets/images/mine', { key }), 'upstream_error', 'a foreign link');
    for (const created_at of ['yesterday, a little after nine', '2026-21-11T09:30:00.000Z', '2026-11-21']) {
      script('getAsset', { json: exampleAsset('mine', { created_at }) });
      assertProblem(await service.ask('/v1/assets/images/mine', { key }), 'upstream_error', created_at);
    }
    script('listAssets', { json: { assets: [exampleAsset('a', foreign)], has_more: false } });
    assertProblem(await service.ask('/v1/assets', { key }), 'upstream_error', 'a foreign link');
    script('favoriteAsset', { json: exampleAsset('mine', { favorite: false }) });
    const marked = { key, method: 'PATCH', body: { favorite: true } };
    assertProblem(await service.ask('/v1/assets/image/mine', marked), 'upstream_error', 'not marked');
    script('takeFrame', { json: { ...foreign, asset_id: null } });
    const frame = { key, body: { time: 0 } };
    assertProblem(await service.ask('/v1/videos/mine/frames', frame), 'upstream_error', 'a foreign frame');
  });

  test('a title has 2 to 50 letters, digits and white space; without one a project is Untitled', async () => {
    for (const title of ['ab', 'x'.repeat(50), 'Autumn posters 2', 'two\nlines'])
      for (const ask of [{ method: 'POST' }, { method: 'PATCH' }]) {
        const path = ask.method === 'POST' ? '/v1/projects' : '/v1/projects/prj_1';
        const { status, body } = await service.ask(path, { key, ...ask, body: { title } });
        assert.deepEqual([status, body['title']], [ask.method === 'POST' ? 201 : 200, title]);
      }
    for (const title of ['a', 'x'.repeat(51), 'naïve', 'a-b', '', 5, null])
      for (const method of ['POST', 'PATCH']) {
        const path = method === 'POST' ? '/v1/projects' : '/v1/projects/prj_1';
        assertProblem(await service.ask(path, { key, method, body: { title } }), 'invalid_request', method);
      }
    const bare = await service.ask('/v1/projects', { key, method: 'POST' });
    assert.deepEqual([bare.status, bare.body['title']], [201, 'Untitled']);
    const renamed = { key, method: 'PATCH', body: {} };
    assertProblem(await service.ask('/v1/projects/prj_1', renamed), 'invalid_request', 'no title');
  });

  test('a frame is taken at a moment or at the end, and kept where that is asked for', async () => {
    const take = async (body: object) => {
      const answer = await service.ask('/v1/videos/lib_1/frames', { key, body });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(Object.keys(answer.body), ['object', 'url']);
      return JSON.parse(lastSeen('takeFrame').body) as object;
    };
    assert.deepEqual(await take({ time: 1.25 }), { time: 1.25, project_id: null });
    assert.deepEqual(await take({ time: 'last' }), { time: 'last', project_id: null });
    assert.deepEqual(await take({ time: 0, project_id: 'prj_1' }), { time: 0, project_id: 'prj_1' });
    // A time after the end still means the last frame, however large the number is.
    assert.deepEqual(await take({ time: 1e300 }), { time: 1e6, project_id: null });
    for (const body of [{}, { time: -1 }, { time: 'first' }, { time: '1' }, { time: null }])
      assertProblem(await service.ask('/v1/videos/x/frames', { key, body }), 'invalid_request', 'time');
  });

  test('a project that is not there is a wrong field, unless the video is not there either', async () => {
    const body = { time: 0, project_id: 'prj_nobody' };
    script('takeFrame', unknown());
    const project = await service.refusal('/v1/videos/lib_1/frames', { key, body });
    assertProblem(project, 'invalid_request', 'project');
    assert.deepEqual(
      project.body.errors?.map(({ field }) => field),
      ['project_id'],
    );
    script('getAsset', unknown());
    assertProblem(await service.ask('/v1/videos/lib_1/frames', { key, body }), 'not_found', 'video');
    const empty = { key, body: { time: 0, project_id: '' } };
    assertProblem(await service.ask('/v1/videos/lib_1/frames', empty), 'invalid_request', 'empty');
  });

  test('an ended session ends all of it, with the same code', async () => {
    const { studio } = service;
    studio.endSessions();
    for (const { path, ask } of named)
      assertProblem(await service.ask(path('x'), { key, ...ask }), 'connection_expired', path('x'));
    assertProblem(await service.ask('/v1/assets', { key }), 'connection_expired', 'list');
    await service.connectAccount(studio.account.id);
    assert.equal((await service.ask('/v1/assets', { key })).status, 200);
  });
});
