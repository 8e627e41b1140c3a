import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as service from '@renderkit/service/operator.ts';
import { send } from './caller.ts';
import { assertRefused, codeOf, create, estimate, sharedWorld, type World } from './world.ts';

describe('§8 limits', () => {
  let world: World;

  before(async () => {
    world = await sharedWorld();
  });

  /** Waits until the next minute is far enough away that the following calls are in one window. */
  const inOneWindow = async () => {
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 12_000) await sleep(left + 50);
  };
  const rate = (headers: Record<string, unknown>) =>
    [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']].map(Number);

  test('a key may make so many requests a minute; the next waits for the window', async () => {
    const { call } = await world.person({}, { rateLimit: 6 });
    await inOneWindow();
    const asked: [string, string, object?][] = [
      ['GET', '/v1/generations'],
      ['GET', '/v1/none'],
      ['GET', '/v1/generations?limit=0'],
      ['POST', '/v1/images/generations'],
      ['DELETE', '/v1/account'],
      ['GET', '/v1/generations/gen_none?wait=1'],
    ];
    const seen: number[][] = [];
    for (const [method, path] of asked) seen.push(rate((await call(method, path)).headers));
    assert.deepEqual(
      seen,
      [5, 4, 3, 2, 1, 0].map((left) => [6, left]),
      'refusals count as well',
    );
    for (const path of ['/v1/generations', '/v1/none']) {
      const refused = await call('GET', path);
      assertRefused(refused, 'rate_limited');
      assert.deepEqual(rate(refused.headers), [6, 0]);
      const wait = Number(refused.headers['retry-after']);
      const left = Math.ceil((60_000 - (Date.now() % 60_000)) / 1_000);
      assert.ok(wait >= 1 && Math.abs(wait - left) <= 1, `Retry-After ${wait}, ${left} s left`);
    }
  });

  test('the keys of an account are counted one by one, and a wrong secret counts for nobody', async () => {
    const { who, call, key } = await world.person({}, { rateLimit: 10 });
    const other = await world.keyOf(who, { rateLimit: 10 });
    await inOneWindow();
    const left = async (ask: typeof call) => rate((await ask('GET', '/v1/generations')).headers)[1];
    assert.deepEqual([await left(call), await left(other)], [9, 9]);
    const wrong = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    for (let i = 0; i < 3; i++)
      assert.equal(
        (await send(world.url, 'GET', '/v1/generations', { headers: { 'x-api-key': wrong } })).status,
        401,
      );
    assert.equal(await left(call), 8);
  });

  test('120 a minute unless said otherwise, and a long poll is one', async () => {
    const { who } = await world.person();
    const made = await service.createKey(world.platform.databases.service, {
      accountEmail: who.email,
      name: 'plain',
    });
    const call = world.withKey(made.key);
    await world.setSlots(who, 0);
    await inOneWindow();
    assert.deepEqual(rate((await call('GET', '/v1/generations')).headers), [120, 119]);
    const { body, headers } = await create(call);
    assert.deepEqual(rate(headers), [120, 118]);
    assert.deepEqual(rate((await call('GET', `/v1/generations/${body.id}?wait=3`)).headers), [120, 117]);
    assert.deepEqual(rate((await call('GET', '/v1/generations')).headers), [120, 116]);
    const burst = await Promise.all(Array.from({ length: 130 }, () => call('GET', '/v1/generations')));
    assert.equal(burst.filter(({ status }) => status === 200).length, 116);
    assert.equal(burst.filter((reply) => codeOf(reply) === 'rate_limited').length, 14);
  });

  test('bursts are smoothed, not refused', async () => {
    const { call } = await world.person();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => estimate(call, { prompt: `wish ${i}` })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const projects = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/v1/projects')));
    assert.deepEqual(new Set(projects.map(({ status }) => status)), new Set([201]));
  });

  test('what is accepted is held back from the balance at once, and given back by a cancel', async () => {
    const { who, call } = await world.person({ credits: 5 });
    await world.setSlots(who, 0);
    const balance = async () => {
      const { body } = await call<Record<string, number>>('GET', '/v1/account/balance');
      assert.equal(body['balance'], Number(body['monthly']) + Number(body['lifetime']));
      assert.equal((await estimate(call)).body['balance'], body['balance']);
      return body['balance'];
    };
    const made = await create(call, { model: 'atelier-1' });
    assert.equal(made.status, 202);
    assert.equal(await balance(), 1);
    assertRefused(await create(call, { model: 'atelier-1' }), 'insufficient_credits');
    await call('POST', `/v1/generations/${made.body.id}/cancel`);
    assert.equal(await balance(), 5);
    assert.equal((await create(call, { model: 'atelier-1' })).status, 202);
  });
});
