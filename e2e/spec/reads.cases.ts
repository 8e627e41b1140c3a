import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Fields } from './caller.ts';
import { assertShape } from './shape.ts';
import * as shapes from './shapes.ts';
import {
  assertRefused,
  create,
  ended,
  type Generation,
  type List,
  sharedWorld,
  type Person,
  withoutRequestId,
  type World,
} from './world.ts';

const lists = ['/v1/models', '/v1/styles', '/v1/suggestions', '/v1/projects', '/v1/generations'];

describe('§4 reads, lists and projects', () => {
  let world: World;
  let pro: Person;
  let free: Person;

  before(async () => {
    world = await sharedWorld();
    [pro, free] = await Promise.all([world.person(), world.person({ tier: 'free' })]);
  });

  const ids = async (path: string, person = pro) =>
    (await person.call<List>('GET', path)).body.data.map((item) => String(item['id']));

  test('every list takes page and limit, within their bounds', async () => {
    for (const path of lists) {
      const everything = await ids(`${path}?limit=100`);
      for (const query of [
        'page=1&limit=1',
        'page=2&limit=1',
        'limit=100',
        'page=1000',
        'page=1000001&limit=1',
      ]) {
        const asked = new URLSearchParams(query);
        const page = Number(asked.get('page') ?? 1);
        const limit = Number(asked.get('limit') ?? 20);
        const { status, body } = await pro.call<List>('GET', `${path}?${query}`);
        assert.equal(status, 200, `${path}?${query}`);
        assert.deepEqual([body.page, body.limit], [page, limit]);
        assert.deepEqual(
          body.data.map((item) => item['id']),
          everything.slice((page - 1) * limit, page * limit),
        );
        assert.equal(body.has_more, everything.length > page * limit);
      }
    }
  });

  test('page and limit out of range, not plain digits, or sent twice are refused by name', async () => {
    const wrong: Record<string, string[]> = {
      page: [
        '0',
        '-1',
        '1.5',
        '1e1',
        '%2B1',
        '%201',
        'one',
        '',
        '99999999999999999999',
        '1000002&limit=1',
        '10002&limit=100',
        '0x1',
        '1&page=1',
        '%EF%BC%91',
      ],
      limit: ['0', '101', '-1', '2.0', 'all', '', '99999999999999999999', '5&limit=5', 'NaN'],
    };
    for (const path of lists)
      for (const [name, values] of Object.entries(wrong))
        for (const value of values)
          assertRefused(await pro.call('GET', `${path}?${name}=${value}`), 'invalid_request', name);
  });

  test('parameters that an operation does not know are refused by name', async () => {
    const reads = [
      ...lists,
      '/v1/account',
      '/v1/account/balance',
      '/v1/account/limits',
      '/v1/models/sketch-1',
    ];
    for (const path of reads)
      for (const query of ['colour=red', '__proto__=1', 'constructor=1', 'Limit=1'])
        assertRefused(
          await pro.call('GET', `${path}?${query}`),
          'invalid_request',
          query.split('=')[0] ?? '',
        );
    assertRefused(
      await pro.call('GET', '/v1/models?kinds=system&sweet=1'),
      'invalid_request',
      'kinds',
      'sweet',
    );
    assertRefused(await pro.call('POST', '/v1/projects?title=AB'), 'invalid_request', 'title');
  });

  test('U+0000, broken escapes and broken UTF-8 in a query or path never reach the database', async () => {
    for (const query of [
      'search=a%00b',
      'search=%ff',
      'search=%ED%A0%80',
      'search=%',
      'search=%zz',
      'kind=%00',
    ]) {
      const answer = await pro.call('GET', `/v1/models?${query}`);
      assert.equal(answer.status, 400, query);
      const projects = await pro.call('GET', `/v1/projects?${query}`);
      assert.equal(projects.status, 400, query);
    }
    for (const id of ['%00', 'gen_%00', '%ff', '%', '%ED%A0%80', '%2e%2e', '..%2f..%2fetc'])
      for (const path of ['/v1/generations', '/v1/projects', '/v1/models']) {
        const { status } = await pro.call('GET', `${path}/${id}`);
        assert.ok(status === 404 || status === 400, `${path}/${id} → ${status}`);
      }
  });

  test('models are filtered by suite, kind and search, together as well', async () => {
    const all = await ids('/v1/models');
    const bySuite = await Promise.all(
      ['image', 'edit', 'video', 'extend'].map((suite) => ids(`/v1/models?suite=${suite}`)),
    );
    assert.deepEqual([...new Set(bySuite.flat())].sort(), all.toSorted());
    assert.ok(bySuite.every((some) => some.length > 0));
    const byKind = await Promise.all(
      ['system', 'custom', 'character'].map((kind) => ids(`/v1/models?kind=${kind}`)),
    );
    assert.deepEqual(byKind.flat().sort(), all.toSorted());
    assert.ok(byKind.every((some) => some.length > 0));
    assert.deepEqual(await ids('/v1/models?search=SKETCH'), ['sketch-1']);
    assert.deepEqual(await ids('/v1/models?search=sketch&kind=character'), []);
    assert.deepEqual(await ids('/v1/models?search=figures&kind=character&suite=image'), [
      'character/figures',
    ]);
    for (const search of ['%25', '_____________', '.*', '%5C', "''", 'no%20such%20model'])
      assert.deepEqual(await ids(`/v1/models?search=${search}`), [], search);
  });

  test('a search may have 100 code points and no more', async () => {
    for (const path of ['/v1/models', '/v1/projects']) {
      const fox = encodeURIComponent('🦊');
      assert.equal((await pro.call('GET', `${path}?search=${fox.repeat(100)}`)).status, 200);
      assertRefused(await pro.call('GET', `${path}?search=${fox.repeat(101)}`), 'invalid_request', 'search');
    }
  });

  test('filters outside of their enumerations are refused, all at once', async () => {
    assertRefused(
      await pro.call('GET', '/v1/models?suite=audio&kind=System&limit=0'),
      'invalid_request',
      'kind',
      'limit',
      'suite',
    );
    assertRefused(await pro.call('GET', '/v1/suggestions?suite=extend'), 'invalid_request', 'suite');
    assertRefused(
      await pro.call('GET', '/v1/generations?status=done&kind=extend'),
      'invalid_request',
      'kind',
      'status',
    );
    assertRefused(await pro.call('GET', '/v1/generations?status='), 'invalid_request', 'status');
  });

  test('suggestions of a suite are those that name it', async () => {
    const { body } = await pro.call<List<{ id: string; suites: string[] }>>('GET', '/v1/suggestions');
    for (const suite of ['image', 'edit', 'video']) {
      const expected = body.data.filter(({ suites }) => suites.includes(suite)).map(({ id }) => id);
      assert.deepEqual(await ids(`/v1/suggestions?suite=${suite}`), expected);
    }
  });

  test('the list of models shows what the plan includes, and a model by its id any', async () => {
    const all = (await pro.call<List<{ id: string; tiers: string[] }>>('GET', '/v1/models')).body.data;
    assert.deepEqual(
      await ids('/v1/models', free),
      all.filter(({ tiers }) => tiers.length === 0 || tiers.includes('free')).map(({ id }) => id),
    );
    const prism = await free.call('GET', '/v1/models/prism-1');
    assert.equal(prism.status, 200);
    assert.deepEqual(prism.body['tiers'], ['plus', 'pro']);
  });

  test('an id that is unknown or too long is not found', async () => {
    const unknown = [
      '/v1/models/none',
      '/v1/models/character/figures',
      '/v1/models/character%2Fnobody',
      '/v1/projects/prj_none',
      '/v1/generations/gen_none',
      '/v1/generations/__proto__',
      '/v1/models/__proto__',
      '/v1/models/constructor',
    ];
    const long = ['models', 'projects', 'generations'].flatMap((noun) =>
      ['x'.repeat(200), 'x'.repeat(201), encodeURIComponent('🦊'.repeat(201)), 'x'.repeat(5_000)].map(
        (id) => `/v1/${noun}/${id}`,
      ),
    );
    for (const path of [...unknown, ...long]) assertRefused(await pro.call('GET', path), 'not_found');
    assertRefused(await pro.call('POST', `/v1/generations/${'x'.repeat(201)}/cancel`), 'not_found');
    assertRefused(await pro.call('POST', '/v1/generations/gen_none/cancel'), 'not_found');
  });

  test("another account's ids answer byte for byte like unknown ones", async () => {
    const project = await pro.call('POST', '/v1/projects', { body: { title: 'Mine' } });
    const { body: generation } = await create(pro.call);
    for (const [method, mine, unknown] of [
      ['GET', `/v1/projects/${String(project.body['id'])}`, '/v1/projects/prj_01kaf3v5w8m2x9q4t7r6y1z0bc'],
      ['GET', `/v1/generations/${generation.id}`, '/v1/generations/gen_01kaf3v5w8m2x9q4t7r6y1z0bc'],
      [
        'GET',
        `/v1/generations/${generation.id}?wait=1`,
        '/v1/generations/gen_01kaf3v5w8m2x9q4t7r6y1z0bc?wait=1',
      ],
      [
        'POST',
        `/v1/generations/${generation.id}/cancel`,
        '/v1/generations/gen_01kaf3v5w8m2x9q4t7r6y1z0bc/cancel',
      ],
    ] as const) {
      const [theirs, nobodys] = [await free.call(method, mine), await free.call(method, unknown)];
      assertRefused(theirs, 'not_found');
      assert.equal(withoutRequestId(theirs), withoutRequestId(nobodys));
    }
    await ended(pro.call, generation.id);
  });

  test('projects: made with and without a title, listed newest first, found by search', async () => {
    const { call } = await world.person();
    const titles = ['AB', 'x'.repeat(50), 'Two\twords\n3', '  ', 'Autumn Posters'];
    const made: Fields[] = [];
    for (const title of titles) {
      const { status, body } = await call('POST', '/v1/projects', { body: { title } });
      assert.equal(status, 201, title);
      assert.equal(body['title'], title);
      made.unshift(body);
    }
    for (const sent of [{}, { body: {} }, { raw: '', headers: { 'content-type': 'application/json' } }]) {
      const { status, body } = await call('POST', '/v1/projects', sent);
      assert.deepEqual([status, body['title']], [201, 'Untitled'], JSON.stringify(sent));
      made.unshift(body);
    }
    const { body } = await call<List>('GET', '/v1/projects');
    assertShape(shapes.listOf(shapes.project), body);
    assert.deepEqual(body, { object: 'list', data: made, page: 1, limit: 20, has_more: false });
    const found = await call<List>('GET', '/v1/projects?search=posters');
    assert.deepEqual(
      found.body.data.map((project) => project['title']),
      ['Autumn Posters'],
    );
    assert.deepEqual((await call<List>('GET', '/v1/projects?search=%25')).body.data, []);
    assert.deepEqual((await call('GET', `/v1/projects/${String(made[0]?.['id'])}`)).body, made[0]);
  });

  test('a project title that breaks the rule is refused by name', async () => {
    for (const title of [
      '',
      'x',
      'x'.repeat(51),
      'a-b',
      'Köln',
      '🦊🦊',
      'a_b',
      7,
      null,
      true,
      ['ab'],
      { a: 1 },
    ])
      assertRefused(await pro.call('POST', '/v1/projects', { body: { title } }), 'invalid_request', 'title');
    assertRefused(
      await pro.call('POST', '/v1/projects', { body: { title: 'ab', colour: 1 } }),
      'invalid_request',
      'colour',
    );
    for (const raw of [
      '[]',
      '"ab"',
      'null',
      '7',
      '{',
      '{"title":"ab"}x',
      "{'title':'ab'}",
      '{"title":"ab",}',
    ])
      assertRefused(
        await pro.call('POST', '/v1/projects', { raw, headers: { 'content-type': 'application/json' } }),
        'invalid_request',
      );
  });

  test('generations: newest first, by status and kind, of all keys of the account and of no other', async () => {
    const { who, call } = await world.person({ tier: 'free' });
    const other = await world.keyOf(who);
    const [worker] = world.platform.workers;
    await worker?.kill('SIGSTOP');
    // Only one may run, so this one waits.
    const { body: first } = await create(call);
    const { body: canceled } = await create(call, { prompt: 'another' });
    assert.equal((await call('POST', `/v1/generations/${canceled.id}/cancel`)).status, 200);
    await worker?.kill('SIGCONT');
    const made = [canceled.id, first.id];
    for (let i = 0; i < 4; i++)
      made.unshift((await create(i % 2 ? other : call, { prompt: `wish ${i}` })).body.id);
    await Promise.all(made.map((id) => ended(call, id)));
    const pictures = made.filter((id) => id !== canceled.id);
    const list = async (query: string) =>
      (await other<List<Generation>>('GET', `/v1/generations${query}`)).body.data.map(({ id }) => id);
    assert.deepEqual(await list(''), made);
    assert.deepEqual(await list('?status=succeeded'), pictures);
    assert.deepEqual(await list('?status=canceled&kind=image'), [canceled.id]);
    assert.deepEqual(await list('?status=failed'), []);
    for (const kind of ['image_edit', 'video', 'video_extend'])
      assert.deepEqual(await list(`?kind=${kind}`), []);
    assert.deepEqual(await list('?kind=image&status=succeeded&limit=2&page=2'), pictures.slice(2, 4));
    const { body } = await free.call<List>('GET', '/v1/generations');
    assert.deepEqual(body, { object: 'list', data: [], page: 1, limit: 20, has_more: false });
  });

  test('wait holds until the end or the time runs out, and is validated', async () => {
    const { who, call } = await world.person();
    await world.setSlots(who, 0);
    const { body: made } = await create(call);
    const path = `/v1/generations/${made.id}`;
    for (const wait of ['-1', '61', '1.5', 'long', '', '1e1', '1&wait=1', '99999999999'])
      assertRefused(await call('GET', `${path}?wait=${wait}`), 'invalid_request', 'wait');
    const held = performance.now();
    const [zero, second] = await Promise.all([
      call<Generation>('GET', `${path}?wait=0`).then(() => performance.now() - held),
      call<Generation>('GET', `${path}?wait=2`).then(({ body }) => {
        assert.equal(body.status, 'queued');
        return performance.now() - held;
      }),
    ]);
    assert.ok(second >= 1_990, `wait=2 answered after ${second} ms`);
    assert.ok(zero < second);
    const polls = Array.from({ length: 5 }, () => call<Generation>('GET', `${path}?wait=60`));
    await call('POST', `${path}/cancel`);
    const woken = await Promise.all(polls);
    assert.deepEqual(new Set(woken.map(({ body }) => body.status)), new Set(['canceled']));
  });
});
