import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Fields } from './caller.ts';
import { assertShape } from './shape.ts';
import * as shapes from './shapes.ts';
import {
  assertRefused,
  type Generation,
  type List,
  sharedWorld,
  type Person,
  rendered,
  withoutRequestId,
  type World,
} from './world.ts';

type Asset = Fields & { id: string; type: string; favorite: boolean; project_id: string | null };

describe('§4 projects and the library', () => {
  let world: World;
  let pro: Person;
  let stranger: Person;
  let project: string;
  let made: { fox: Generation; owl: Generation };

  before(async () => {
    world = await sharedWorld();
    [pro, stranger] = await Promise.all([world.person(), world.person()]);
    project = String((await pro.call('POST', '/v1/projects', { body: { title: 'Owls' } })).body['id']);
    made = {
      fox: await rendered(pro.call, { prompt: 'a red fox in the snow' }),
      owl: await rendered(pro.call, { prompt: 'an owl at night', project_id: project }),
    };
  });

  const list = async (query = '', { call } = pro) =>
    (await call<List<Asset>>('GET', `/v1/assets${query}`)).body;
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }) => id);
  const outputOf = ({ outputs }: Generation) => outputs[0] as Generation['outputs'][number];
  const favorite = (id: string, value: boolean, type = 'image') =>
    pro.call('PATCH', `/v1/assets/${type}/${id}`, { body: { favorite: value } });

  test('the library holds what was generated, newest first, each item by the id of its output', async () => {
    const body = await list();
    assertShape(shapes.listOf(shapes.asset), body);
    assert.deepEqual(
      body.data.map(({ id }) => id),
      [outputOf(made.owl).id, outputOf(made.fox).id],
    );
    const [owl] = body.data;
    const { url, thumb_url, width, height } = outputOf(made.owl);
    assert.deepEqual(
      [
        owl?.['url'],
        owl?.['thumb_url'],
        owl?.['width'],
        owl?.['height'],
        owl?.project_id,
        owl?.['prompt_id'],
      ],
      [url, thumb_url, width, height, project, made.owl['prompt_id' as keyof Generation]],
    );
    assert.deepEqual([owl?.type, owl?.['duration'], owl?.favorite], ['image', null, false]);
    assert.deepEqual((await list('', stranger)).data, []);
  });

  test('it is filtered by type, project and words, and paged', async () => {
    const [fox, owl] = [outputOf(made.fox).id, outputOf(made.owl).id];
    assert.deepEqual(await idsOf('?type=image'), [owl, fox]);
    assert.deepEqual(await idsOf('?type=video'), []);
    assert.deepEqual(await idsOf(`?project_id=${project}`), [owl]);
    assert.deepEqual(await idsOf('?project_id=prj_none'), []);
    assert.deepEqual(await idsOf('?search=fox'), [fox]);
    assert.deepEqual(await idsOf('?search=FOX&type=image'), [fox]);
    assert.deepEqual(await idsOf(`?search=fox&project_id=${project}`), []);
    const first = await list('?limit=1');
    assert.deepEqual([first.data[0]?.id, first.has_more], [owl, true]);
    const second = await list('?limit=1&page=2');
    assert.deepEqual([second.data[0]?.id, second.has_more], [fox, false]);
    assert.deepEqual((await list('?page=50')).data, []);
  });

  test('a favorite is marked and unmarked, and the filter shows the one kind or the other', async () => {
    const [fox, owl] = [outputOf(made.fox).id, outputOf(made.owl).id];
    const marked = await favorite(fox, true);
    assert.deepEqual(marked.body, { id: fox, object: 'asset', favorite: true });
    assert.deepEqual(await idsOf('?favorites=true'), [fox]);
    assert.deepEqual(await idsOf('?favorites=false'), [owl]);
    assert.equal((await pro.call('GET', `/v1/assets/images/${fox}`)).body['favorite'], true);
    assert.equal((await favorite(fox, true)).status, 200, 'again is as good');
    assert.equal((await favorite(fox, false)).body['favorite'], false);
    assert.deepEqual(await idsOf('?favorites=true'), []);
  });

  test('an image is shown by its id as in the list', async () => {
    for (const item of (await list()).data)
      assert.deepEqual((await pro.call('GET', `/v1/assets/images/${item.id}`)).body, item);
  });

  test('an id of another type, unknown or too long is not found', async () => {
    const { id } = outputOf(made.fox);
    for (const type of ['video', 'frame']) assertRefused(await favorite(id, true, type), 'not_found');
    assertRefused(await pro.call('DELETE', `/v1/assets/video/${id}`), 'not_found');
    for (const type of ['images', 'audio', 'Image'])
      assertRefused(await pro.call('DELETE', `/v1/assets/${type}/${id}`), 'not_found');
    for (const path of ['image/ast_none', `image/${'x'.repeat(101)}`, `frame/${'x'.repeat(5_000)}`])
      assertRefused(await pro.call('DELETE', `/v1/assets/${path}`), 'not_found');
    assertRefused(await pro.call('GET', `/v1/assets/images/${'x'.repeat(201)}`), 'not_found');
  });

  test('filters outside their bounds are refused by name', async () => {
    for (const [query, name] of [
      ['type=frame', 'type'],
      ['favorites=yes', 'favorites'],
      ['favorites=', 'favorites'],
      [`project_id=${'x'.repeat(101)}`, 'project_id'],
      [`search=${'x'.repeat(101)}`, 'search'],
      ['sort=oldest', 'sort'],
    ] as const)
      assertRefused(await pro.call('GET', `/v1/assets?${query}`), 'invalid_request', name);
    for (const body of [{}, { favorite: 'true' }, { favorite: 1 }, { favorite: null }])
      assertRefused(
        await pro.call('PATCH', `/v1/assets/image/${outputOf(made.fox).id}`, { body }),
        'invalid_request',
        'favorite',
      );
  });

  test("another account's projects and items answer byte for byte like unknown ones", async () => {
    const { id } = outputOf(made.fox);
    const asks: [string, (id: string) => string, string, Fields?][] = [
      ['PATCH', (one) => `/v1/projects/${one}`, project, { title: 'Stolen' }],
      ['DELETE', (one) => `/v1/projects/${one}`, project],
      ['GET', (one) => `/v1/assets/images/${one}`, id],
      ['PATCH', (one) => `/v1/assets/image/${one}`, id, { favorite: true }],
      ['DELETE', (one) => `/v1/assets/image/${one}`, id],
      ['POST', (one) => `/v1/videos/${one}/frames`, id, { time: 0 }],
    ];
    for (const [method, path, theirs, body] of asks) {
      const sent = body === undefined ? {} : { body };
      const mine = await stranger.call(method, path(theirs), sent);
      const nobodys = await stranger.call(method, path('ast_01kaf3v5w8m2x9q4t7r6y1z0bc'), sent);
      assertRefused(mine, 'not_found');
      assert.equal(withoutRequestId(mine), withoutRequestId(nobodys));
    }
    const estimate = (project_id: string) =>
      stranger.call('POST', '/v1/estimate', { body: { kind: 'image', prompt: 'x', project_id } });
    const [mine, nobodys] = [await estimate(project), await estimate('prj_none')];
    assertRefused(mine, 'invalid_request', 'project_id');
    assert.equal(withoutRequestId(mine), withoutRequestId(nobodys));
    assert.equal((await list()).data.length, 2, 'nothing was harmed');
  });

  test('a project is renamed by the rule of titles, shows its newest item, and keeps its id', async () => {
    const path = `/v1/projects/${project}`;
    const { body } = await pro.call('PATCH', path, { body: { title: 'Night birds 2' } });
    assertShape(shapes.project, body);
    assert.deepEqual([body['id'], body['title']], [project, 'Night birds 2']);
    assert.deepEqual((await pro.call('GET', path)).body, body);
    const last = body['last_generation'] as Fields;
    assert.deepEqual([last['type'], last['url']], ['image', outputOf(made.owl).url]);
    for (const title of ['x', 'x'.repeat(51), 'under_score', 'é', '', 7, null])
      assertRefused(await pro.call('PATCH', path, { body: { title } }), 'invalid_request', 'title');
    assertRefused(await pro.call('PATCH', path, { body: {} }), 'invalid_request', 'title');
  });

  test('a deleted item is gone from the library; the record of its generation stays', async () => {
    const { id, url } = outputOf(made.owl);
    const { body } = await pro.call('DELETE', `/v1/assets/image/${id}`);
    assert.deepEqual(body, { id, object: 'asset', deleted: true });
    assertRefused(await pro.call('GET', `/v1/assets/images/${id}`), 'not_found');
    assertRefused(await pro.call('DELETE', `/v1/assets/image/${id}`), 'not_found');
    assert.deepEqual(await idsOf(''), [outputOf(made.fox).id]);
    const kept = await pro.call<Generation>('GET', `/v1/generations/${made.owl.id}`);
    assert.equal(kept.body.outputs[0]?.url, url);
    const { body: empty } = await pro.call('GET', `/v1/projects/${project}`);
    assert.equal(empty['last_generation'], null);
  });

  test('a deleted project is gone, its items stay; a project named API is made anew when needed', async () => {
    const { body } = await pro.call('DELETE', `/v1/projects/${project}`);
    assert.deepEqual(body, { id: project, object: 'project', deleted: true });
    for (const method of ['GET', 'DELETE'])
      assertRefused(await pro.call(method, `/v1/projects/${project}`), 'not_found');
    const api = String(made.fox.project_id);
    assert.equal((await pro.call('DELETE', `/v1/projects/${api}`)).status, 200);
    const fox = await pro.call<Asset>('GET', `/v1/assets/images/${outputOf(made.fox).id}`);
    assert.deepEqual([fox.status, fox.body.project_id], [200, null]);
    const next = await rendered(pro.call, { prompt: 'a hare' });
    assert.notEqual(next.project_id, api);
    const { body: anew } = await pro.call('GET', `/v1/projects/${String(next.project_id)}`);
    assert.equal(anew['title'], 'API');
  });
});
