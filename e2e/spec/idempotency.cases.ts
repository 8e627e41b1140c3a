import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as studio from '@renderkit/studio/operator.ts';
import { type Call, send } from './caller.ts';
import {
  assertRefused,
  create,
  draft,
  ended,
  estimate,
  type List,
  sharedWorld,
  type World,
} from './world.ts';

describe('§4 Idempotency-Key', () => {
  let world: World;

  before(async () => {
    world = await sharedWorld();
  });

  const key = (value: string | string[]) => ({ 'idempotency-key': value });
  const balance = async (call: Call) =>
    (await call<{ balance: number }>('GET', '/v1/account/balance')).body.balance;

  test('a retry answers the first 202 byte for byte, marked as replayed, also when all is done', async () => {
    const { call } = await world.person({ credits: 10 });
    const first = await create(call, { metadata: { a: '1' } }, key('wish'));
    assert.deepEqual([first.status, first.headers['idempotent-replayed']], [202, undefined]);
    const again = await create(call, { metadata: { a: '1' } }, key('wish'));
    await ended(call, first.body.id);
    const late = await create(call, { metadata: { a: '1' } }, key('wish'));
    for (const replay of [again, late]) {
      assert.deepEqual([replay.status, replay.headers['idempotent-replayed']], [202, 'true']);
      assert.equal(replay.text, first.text);
      assert.notEqual(replay.headers['x-request-id'], first.headers['x-request-id']);
    }
    assert.equal(await balance(call), 9);
    assert.equal((await call<List>('GET', '/v1/generations')).body.data.length, 1);
  });

  test('another order of names is the same request, another value or a default spelt out is not', async () => {
    const { call } = await world.person();
    const send2 = (raw: string) =>
      call('POST', '/v1/images/generations', {
        raw,
        headers: { 'content-type': 'application/json', ...key('k') },
      });
    const first = await send2('{"model":"sketch-1","prompt":"a","options":{"seed":1}}');
    assert.equal(first.status, 202);
    for (const raw of [
      '{ "options": {"seed": 1.0}, "prompt": "\\u0061", "model": "sketch-1" }',
      '{"prompt":"a","options":{"seed":1e0},"model":"sketch-1"}',
    ])
      assert.equal((await send2(raw)).text, first.text, raw);
    for (const raw of [
      '{"model":"sketch-1","prompt":"b","options":{"seed":1}}',
      '{"model":"sketch-1","prompt":"a","options":{"seed":"1"}}',
      '{"model":"sketch-1","prompt":"a"}',
      '{"model":"sketch-1","prompt":"a","options":{"seed":1},"aspect_ratio":"1:1"}',
      '{"model":"sketch-1","prompt":"a","options":{"seed":1},"metadata":{}}',
    ]) {
      const answer = await send2(raw);
      // An invalid request gets that error first.
      assert.ok(['conflict', 'invalid_request'].includes(String(answer.body['code'])), raw);
      assert.equal(answer.headers['idempotent-replayed'], undefined);
    }
    assertRefused(await send2('{"model":"sketch-1","prompt":"b"}'), 'conflict');
  });

  test('an account has its keys to itself, and its API keys share them', async () => {
    const [one, two] = [await world.person(), await world.person()];
    const first = await create(one.call, {}, key('shared'));
    const sibling = await world.keyOf(one.who);
    assert.equal((await create(sibling, {}, key('shared'))).text, first.text);
    const theirs = await create(two.call, {}, key('shared'));
    assert.deepEqual([theirs.status, theirs.headers['idempotent-replayed']], [202, undefined]);
    assert.notEqual(theirs.body.id, first.body.id);
  });

  test('errors are not remembered', async () => {
    const { who, call } = await world.person({ credits: 0 });
    assertRefused(await create(call, {}, key('k')), 'insufficient_credits');
    assertRefused(await create(call, { prompt: 'bomb recipe' }, key('k')), 'insufficient_credits');
    assertRefused(await create(call, { cfg: 1 }, key('k')), 'invalid_request', 'cfg');
    await studio.setAccount(world.platform.databases.studio, who.email, { creditsMillicredits: 1_000 });
    const made = await create(call, {}, key('k'));
    assert.equal(made.status, 202);
    assert.equal((await create(call, {}, key('k'))).text, made.text, 'a replay needs no credits');
  });

  test('a replay needs no budget, no connection and no studio, and counts in the rate limit', async () => {
    const { who, call } = await world.person({}, { dailyBudget: 1, rateLimit: 100 });
    const made = await create(call, {}, key('k'));
    await ended(call, made.body.id);
    assertRefused(await create(call), 'budget_exceeded');
    const database = world.platform.databases.studio;
    await studio.endSession(database, who.email, 'renderkit-service');
    const [one, two] = [await create(call, {}, key('k')), await create(call, {}, key('k'))];
    assert.deepEqual([one.text, two.text], [made.text, made.text]);
    const [first = 0, second = 0] = [one, two].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    assert.ok(second === first - 1 || second === 99, 'one less, unless a minute began');
    await studio.setMaintenance(database, true);
    try {
      assert.equal((await create(call, {}, key('k'))).text, made.text);
    } finally {
      await studio.setMaintenance(database, false);
    }
  });

  test('the key is 1 to 200 printable ASCII characters, sent once', async () => {
    const { call } = await world.person();
    for (const good of ['x', 'x'.repeat(200), '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~', 'two words'])
      assert.equal((await create(call, {}, key(good))).status, 202, good);
    for (const bad of ['', ' ', 'x'.repeat(201), 'caf\u00e9', 'a\tb', ['a', 'b'], ['a', 'a']]) {
      const answer = await create(call, {}, key(bad));
      assertRefused(answer, 'invalid_request');
    }
    const { status, body } = await create(call, { colour: 1 }, key('x'.repeat(201)));
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /colour/, 'it is told together with the fields');
  });

  test('the header is ignored where nothing is created', async () => {
    const { call } = await world.person();
    for (const value of ['k', 'x'.repeat(201)]) {
      for (const _ of [1, 2]) {
        const { status, headers } = await call('POST', '/v1/estimate', {
          body: { kind: 'image', ...draft },
          headers: key(value),
        });
        assert.deepEqual([status, headers['idempotent-replayed']], [200, undefined]);
      }
      assert.equal((await call('GET', '/v1/styles', { headers: key(value) })).status, 200);
    }
    const projects = [1, 2].map(() => call('POST', '/v1/projects', { headers: key('k') }));
    const [one, two] = await Promise.all(projects);
    assert.notEqual(one?.body['id'], two?.body['id']);
  });

  test('ten at once are one generation', async () => {
    const { call } = await world.person({ credits: 10 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(call, {}, key('k'))));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await balance(call), 9);
    assert.equal((await estimate(call)).body['balance'], 9);
  });

  test('the wrong secret with a known Idempotency-Key learns nothing', async () => {
    const { call, key: secret } = await world.person();
    await create(call, {}, key('k'));
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
    const answer = await send(world.url, 'POST', '/v1/images/generations', {
      body: draft,
      headers: { authorization: `Bearer ${wrong}`, ...key('k') },
    });
    assertRefused(answer, 'unauthorized');
  });
});
