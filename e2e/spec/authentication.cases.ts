import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as service from '@renderkit/service/operator.ts';
import * as studio from '@renderkit/studio/operator.ts';
import { type Reply, send, type Sent } from './caller.ts';
import {
  assertRefused,
  codeOf,
  create,
  ended,
  estimate,
  type Generation,
  type List,
  sharedWorld,
  type Person,
  withoutRequestId,
  type World,
} from './world.ts';

const reads = [
  '/v1/account',
  '/v1/account/balance',
  '/v1/account/limits',
  '/v1/models',
  '/v1/models/sketch-1',
  '/v1/styles',
  '/v1/suggestions',
  '/v1/projects',
  '/v1/projects/prj_none',
  '/v1/assets',
  '/v1/assets/images/ast_none',
  '/v1/generations',
  '/v1/generations/gen_none',
];

describe('§5 authentication', () => {
  let world: World;
  let pro: Person;

  before(async () => {
    world = await sharedWorld();
    pro = await world.person();
  });

  const get = (headers: Sent['headers'], path = '/v1/styles') => send(world.url, 'GET', path, { headers });
  const studioDatabase = () => world.platform.databases.studio;
  const serviceDatabase = () => world.platform.databases.service;

  test('a key is a prefix, a public part and 32 secret characters', () => {
    assert.match(pro.key, /^rk_live_[A-Za-z0-9]{12}_[A-Za-z0-9]{32}$/);
  });

  test('a key may come in either header', async () => {
    const ways: Record<string, string>[] = [
      { authorization: `Bearer ${pro.key}` },
      { authorization: `bearer ${pro.key}` },
      { 'x-api-key': pro.key },
      { authorization: `Bearer ${pro.key}`, 'x-api-key': pro.key },
    ];
    for (const headers of ways)
      assert.equal((await get(headers)).status, 200, JSON.stringify(Object.keys(headers)));
  });

  test('missing, malformed, unknown, wrong, revoked and expired keys look the same', async () => {
    const { who } = await world.person();
    const database = serviceDatabase();
    const revoked = await service.createKey(database, { accountEmail: who.email, name: 'revoked' });
    const expired = await service.createKey(database, {
      accountEmail: who.email,
      name: 'expired',
      expiresInDays: 1,
    });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    for (const { key } of [revoked, expired]) assert.equal((await get(bearer(key))).status, 200);
    await service.revokeKey(database, revoked.id);
    await database.rows(`update api_keys set expires_at = clock() where id = $1`, [expired.id]);
    const swapped = pro.key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const kinds: Record<string, Sent['headers']> = {
      missing: {},
      'empty bearer': { authorization: 'Bearer ' },
      'no scheme': { authorization: pro.key },
      basic: { authorization: `Basic ${Buffer.from(`${pro.key}:`).toString('base64')}` },
      short: bearer('rk_live_abc'),
      'too long': bearer(`${pro.key}x`),
      'other characters': bearer(pro.key.replace(/.$/, '-')),
      'with U+0000': bearer(`${pro.key.slice(0, -3)}%00`),
      unknown: bearer(pro.key.replace(/^rk_live_.{12}/, 'rk_live_000000000000')),
      wrong: bearer(swapped),
      revoked: bearer(revoked.key),
      expired: bearer(expired.key),
      'in the wrong header': { 'api-key': pro.key },
      'as a cookie': { cookie: `key=${pro.key}; session=1` },
      'empty X-API-Key': { 'x-api-key': '' },
    };
    const replies: [string, Reply][] = [];
    for (const [kind, headers] of Object.entries(kinds)) replies.push([kind, await get(headers)]);
    replies.push(['in the query', await get({}, `/v1/styles?api_key=${pro.key}`)]);
    const first = replies[0]![1];
    for (const [kind, reply] of replies) {
      assert.deepEqual([reply.status, withoutRequestId(reply)], [401, withoutRequestId(first)], kind);
      assert.deepEqual(Object.keys(reply.headers).sort(), Object.keys(first.headers).sort(), kind);
      assert.equal(reply.headers['x-ratelimit-limit'], undefined);
    }
  });

  test('without a key no path of /v1 is told from another', async () => {
    const first = await get({});
    for (const [method, path] of [
      ['GET', '/v1/none'],
      ['GET', '/v1'],
      ['GET', '/v1/'],
      ['DELETE', '/v1/account'],
      ['POST', '/v1/images/generations'],
      ['POST', '/v1/uploads'],
      ['GET', '/v1/models?limit=0'],
      ['GET', `/v1/models/${'x'.repeat(300)}`],
    ] as const) {
      const reply = await send(world.url, method, path);
      assert.equal(withoutRequestId(reply), withoutRequestId(first), `${method} ${path}`);
    }
    const posted = await send(world.url, 'POST', '/v1/images/generations', {
      raw: '{',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(withoutRequestId(posted), withoutRequestId(first), 'a body is validated later');
  });

  test('two keys that differ are no key', async () => {
    const other = await world.person();
    const answer = await get({ authorization: `Bearer ${pro.key}`, 'x-api-key': other.key });
    assert.ok(answer.status === 401 || answer.status === 200, 'one of both, or none');
  });

  test('each scope opens its routes and nothing else, before the body is validated', async () => {
    const routes: [string, string, string][] = [
      ...reads.map((path): [string, string, string] => ['read', 'GET', path]),
      ['generate', 'POST', '/v1/images/generations'],
      ['generate', 'POST', '/v1/estimate'],
      ['generate', 'POST', '/v1/generations/gen_none/cancel'],
      ['generate', 'POST', '/v1/images/edits'],
      ['generate', 'POST', '/v1/videos/generations'],
      ['generate', 'POST', '/v1/videos/extend'],
      ['generate', 'POST', '/v1/videos/ast_none/frames'],
      ['projects', 'POST', '/v1/projects'],
      ['projects', 'PATCH', '/v1/projects/prj_none'],
      ['projects', 'DELETE', '/v1/projects/prj_none'],
      ['library', 'PATCH', '/v1/assets/image/ast_none'],
      ['library', 'DELETE', '/v1/assets/frame/ast_none'],
    ];
    const { who } = await world.person();
    for (const scope of ['read', 'generate', 'uploads', 'projects', 'library']) {
      const call = await world.keyOf(who, { scopes: [scope] });
      for (const [needed, method, path] of routes) {
        const sent =
          (method === 'POST' || method === 'PATCH') && !path.endsWith('cancel')
            ? { raw: '{"title":7', headers: { 'content-type': 'application/json' } }
            : {};
        const reply = await call(method, path, sent);
        if (scope === needed) assert.notEqual(reply.status, 403, `${scope}: ${method} ${path}`);
        else assertRefused(reply, 'forbidden');
      }
      assertRefused(await call('GET', '/v1/none'), 'not_found');
    }
    const all = await world.keyOf(who);
    for (const [, method, path] of routes)
      assert.notEqual((await all(method, path)).status, 403, 'a new key may do all');
  });

  test('keys, webhooks and the connection are nothing that a key reaches', async () => {
    for (const path of [
      '/v1/keys',
      '/v1/api-keys',
      '/v1/webhooks',
      '/v1/webhook_endpoints',
      '/v1/connection',
      '/v1/studio',
    ])
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        assertRefused(await pro.call(method, path), 'not_found');
  });

  test('a daily budget is reached exactly, never passed, and belongs to the key', async () => {
    const { who, call } = await world.person({ credits: 100 }, { dailyBudget: 5 });
    assert.equal((await create(call, { model: 'atelier-1' })).status, 202);
    assertRefused(await create(call, { model: 'atelier-1' }), 'budget_exceeded');
    assert.equal((await create(call)).status, 202, 'equal to the budget is allowed');
    assertRefused(await create(call), 'budget_exceeded');
    assert.equal((await estimate(call, { model: 'atelier-1' })).status, 200, 'an estimate is no generation');
    const { body } = await call<List<Generation>>('GET', '/v1/generations');
    assert.equal(body.data.length, 2, 'what is refused is not queued');
    assert.equal((await call('GET', '/v1/account/balance')).body['balance'], 95);
    const nothing = await world.keyOf(who, { dailyBudget: 0 });
    assertRefused(await create(nothing), 'budget_exceeded');
    assert.equal((await create(await world.keyOf(who))).status, 202, 'a key without a budget goes on');
    await Promise.all(body.data.map(({ id }) => ended(call, id)));
    assertRefused(await create(call), 'budget_exceeded');
  });

  test('fractions of a credit are counted exactly', async () => {
    const { call } = await world.person({ credits: 100 }, { dailyBudget: 1.999 });
    assert.equal((await create(call)).status, 202);
    assertRefused(await create(call), 'budget_exceeded');
  });

  test('a connection that ended is told on everything that needs the studio, until it is there again', async () => {
    const { who, call } = await world.person();
    const project = await call('POST', '/v1/projects');
    const done = await create(call);
    await ended(call, done.body.id);
    await world.setSlots(who, 0);
    const waits = await create(call);
    const cancels = await create(call, { prompt: 'another' });
    await studio.endSession(studioDatabase(), who.email, 'renderkit-service');
    const needing = [
      ...reads.filter((path) => !path.startsWith('/v1/generations') && path !== '/v1/projects/prj_none'),
      `/v1/projects/${String(project.body['id'])}`,
    ];
    const answers: string[] = [];
    for (const path of needing) answers.push(`${path} ${codeOf(await call('GET', path))}`);
    answers.push(`create ${codeOf(await create(call))}`, `estimate ${codeOf(await estimate(call))}`);
    answers.push(`project ${codeOf(await call('POST', '/v1/projects', { body: {} }))}`);
    assert.deepEqual(
      answers.filter((answer) => !answer.endsWith(' connection_expired')),
      [],
    );
    for (const path of [`/v1/generations/${done.body.id}`, '/v1/generations'])
      assert.equal((await call('GET', path)).status, 200);
    const canceled = await call('POST', `/v1/generations/${cancels.body.id}/cancel`);
    assert.ok(canceled.status === 200 || canceled.status === 409, canceled.text);
    await world.setSlots(who, 8);
    await world.platform.connectAccount(who);
    assert.equal((await call('GET', '/v1/account')).status, 200, 'keys stay as they are');
    assert.equal((await ended(call, waits.body.id)).status, 'succeeded', 'what waited goes on');
  });
});
