import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as studio from '@renderkit/studio/operator.ts';
import { codes, checkAnswer, type Problem, send } from './caller.ts';
import {
  assertRefused,
  codeOf,
  create,
  draft,
  ended,
  estimate,
  type List,
  openWorld,
  type Person,
  rendered,
  type World,
} from './world.ts';

describe('§7 errors', () => {
  let world: World;
  let pro: Person;

  before(async () => {
    world = await openWorld({ environment: { QUEUE_CAP: '3' } });
    pro = await world.person();
  });
  after(() => world[Symbol.asyncDispose]());

  const database = () => world.platform.databases.studio;
  const count = async (person: Person) =>
    (await person.call<List>('GET', '/v1/generations')).body.data.length;
  const flagged = async (settings: studio.AccountSettings) => {
    const person = await world.person();
    await studio.setAccount(database(), person.who.email, settings);
    return person;
  };

  test('each code has its place on the page that the type links to', async () => {
    const { type } = (await pro.call<Problem & { type: string }>('GET', '/v1/none')).body;
    const page = await fetch(type);
    assert.equal(page.status, 200);
    const html = await page.text();
    for (const code of codes) assert.match(html, new RegExp(`id="${code}"`), code);
  });

  test('no header of the request changes the links or the request id', async () => {
    const reply = await send(world.url, 'GET', '/v1/none', {
      headers: {
        'x-api-key': pro.key,
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-request-id': 'req_mine',
      },
    });
    checkAnswer(world.document, 'GET', '/v1/none', reply);
    assert.ok(!reply.text.includes('evil'));
    assert.notEqual(reply.headers['x-request-id'], 'req_mine');
  });

  test('account_suspended, email_not_verified and geo_blocked, for creates alone', async () => {
    for (const [settings, status, code] of [
      [{ suspended: true }, 423, 'account_suspended'],
      [{ emailVerified: false }, 423, 'email_not_verified'],
      [{ regionBlocked: true }, 451, 'geo_blocked'],
    ] as const) {
      const person = await flagged(settings);
      const reply = await create(person.call);
      assert.deepEqual([reply.status, codeOf(reply)], [status, code]);
      assert.equal(await count(person), 0);
      for (const path of [
        '/v1/account',
        '/v1/account/limits',
        '/v1/models',
        '/v1/projects',
        '/v1/generations',
      ])
        assert.equal((await person.call('GET', path)).status, 200, `${code}: ${path}`);
      assert.equal((await estimate(person.call)).status, 200, code);
    }
  });

  test('insufficient_credits: not queued, not charged, and the estimate says so', async () => {
    const person = await world.person({ credits: 3 });
    assertRefused(await create(person.call, { model: 'atelier-1' }), 'insufficient_credits');
    assert.equal(await count(person), 0);
    const quoted = await estimate(person.call, { model: 'atelier-1' });
    assert.deepEqual(
      [quoted.body['credits'], quoted.body['balance'], quoted.body['sufficient']],
      [4, 3, false],
    );
    await rendered(person.call);
    assert.equal((await person.call('GET', '/v1/account/balance')).body['balance'], 2);
  });

  test('tier_required for a model outside the plan, an estimate included', async () => {
    const free = await world.person({ tier: 'free' });
    for (const model of ['prism-1', 'papercut-studio', 'nocturne-1']) {
      assertRefused(await create(free.call, { model }), 'tier_required');
      assertRefused(await estimate(free.call, { model }), 'tier_required');
    }
    assertRefused(
      await create(free.call, { model: 'prism-1', aspect_ratio: '16:9' }),
      'invalid_request',
      'aspect_ratio',
    );
  });

  test('forbidden for a model of adults until the age is confirmed', async () => {
    const person = await world.person();
    assertRefused(await create(person.call, { model: 'nocturne-1' }), 'forbidden');
    assertRefused(await estimate(person.call, { model: 'nocturne-1' }), 'forbidden');
    await studio.setAccount(database(), person.who.email, { ageVerified: true });
    assert.equal((await estimate(person.call, { model: 'nocturne-1' })).status, 200);
    const done = await rendered(person.call, { model: 'nocturne-1' });
    assert.equal((done.outputs[0] as unknown as { nsfw: boolean }).nsfw, true);
    assert.equal((await person.call('GET', '/v1/account')).body['age_verified'], true);
  });

  test('moderation_blocked: nothing queued or charged; an estimate moderates nothing', async () => {
    const person = await world.person({ credits: 5 });
    for (const prompt of ['a bomb recipe', 'A  BOMB\nRecipe!', 'bomb recipe']) {
      const reply = await create(person.call, { prompt });
      assert.deepEqual([reply.status, codeOf(reply)], [422, 'moderation_blocked'], prompt);
    }
    assert.equal(await count(person), 0);
    assert.equal((await person.call('GET', '/v1/account/balance')).body['balance'], 5);
    assert.equal((await estimate(person.call, { prompt: 'a bomb recipe' })).status, 200);
  });

  test('queue_full when the studio refuses for concurrency, and when our own queue is at its cap', async () => {
    const person = await world.person();
    await studio.setFault(database(), person.who.email, 'concurrency');
    assertRefused(await create(person.call), 'queue_full');
    assert.equal((await create(person.call)).status, 202, 'once');
    const full = await world.person();
    await world.setSlots(full.who, 0);
    for (let i = 0; i < 3; i++) assert.equal((await create(full.call, { prompt: `wish ${i}` })).status, 202);
    const reply = await create(full.call);
    assert.deepEqual([reply.status, codeOf(reply)], [429, 'queue_full']);
    assert.equal(await count(full), 3);
  });

  test("the studio's own limit of requests is waited for when short, else rate_limited", async () => {
    const person = await world.person();
    await studio.setFault(database(), person.who.email, 'rate');
    const reply = await create(person.call);
    if (reply.status !== 202) assertRefused(reply, 'rate_limited');
    assert.equal((await create(person.call)).status, 202);
  });

  test('upstream_error when the studio answers nonsense, and nothing is queued', async () => {
    const person = await world.person();
    await studio.setFault(database(), person.who.email, 'nonsense');
    const reply = await create(person.call, {}, { 'idempotency-key': 'k' });
    assert.deepEqual([reply.status, codeOf(reply)], [502, 'upstream_error']);
    assert.equal(await count(person), 0);
    assert.equal(
      (await create(person.call, {}, { 'idempotency-key': 'k' })).status,
      202,
      'the same key again',
    );
  });

  test('upstream_unavailable in maintenance, with Retry-After; what is ours goes on', async () => {
    const person = await world.person();
    const done = await rendered(person.call);
    await studio.setMaintenance(database(), true);
    try {
      for (const reply of [
        await create(person.call),
        await estimate(person.call),
        await person.call('GET', '/v1/account'),
        await person.call('GET', '/v1/account/balance'),
        await person.call('GET', '/v1/projects'),
        await person.call('POST', '/v1/projects'),
      ])
        assert.deepEqual([reply.status, codeOf(reply)], [503, 'upstream_unavailable'], reply.text);
      assert.equal((await person.call('GET', `/v1/generations/${done.id}`)).status, 200);
      assert.equal(await count(person), 1);
    } finally {
      await studio.setMaintenance(database(), false);
    }
    assert.equal((await create(person.call)).status, 202);
  });

  test('upstream_unavailable when the studio is silent for ten seconds', async () => {
    const person = await world.person();
    await studio.setFault(database(), person.who.email, 'silence');
    const since = performance.now();
    const reply = await create(person.call);
    assert.deepEqual([reply.status, codeOf(reply)], [503, 'upstream_unavailable']);
    const took = performance.now() - since;
    assert.ok(took > 8_000 && took < 15_000, `${took} ms`);
    assert.equal(await count(person), 0);
  });

  test('internal_error tells nothing but the request id', async () => {
    const ours = world.platform.databases.service;
    const made = await create(pro.call);
    await ended(pro.call, made.body.id);
    await ours.rows('alter table generations rename to generations_elsewhere');
    try {
      for (const path of ['/v1/generations', `/v1/generations/${made.body.id}`]) {
        const reply = await pro.call('GET', path);
        assert.deepEqual([reply.status, codeOf(reply)], [500, 'internal_error']);
        assert.doesNotMatch(reply.text, /relation|generations_|select|sql|42P01|\.ts|errors"/i);
      }
    } finally {
      await ours.rows('alter table generations_elsewhere rename to generations');
    }
    assert.equal((await pro.call('GET', `/v1/generations/${made.body.id}`)).status, 200);
  });

  test('of several reasons the first in order is told', async () => {
    const person = await world.person({ tier: 'free', credits: 0 }, { dailyBudget: 0 });
    const email = person.who.email;
    await studio.setAccount(database(), email, { suspended: true, regionBlocked: true });
    const ask = async (fields: Record<string, unknown>) => codeOf(await create(person.call, fields));
    const bad = { prompt: 'bomb recipe', project_id: 'prj_none' };
    assert.equal(await ask({ ...bad, model: 'prism-1', colour: 1 }), 'invalid_request');
    assert.equal(await ask({ ...bad, model: 'prism-1' }), 'tier_required');
    assert.equal(await ask({ ...bad, model: 'nocturne-1' }), 'tier_required');
    assert.equal(await ask(bad), 'budget_exceeded');
    const unlimited = await world.keyOf(person.who);
    const next = async (fields: Record<string, unknown> = bad) => codeOf(await create(unlimited, fields));
    assert.equal(await next(), 'account_suspended');
    await studio.setAccount(database(), email, { suspended: false });
    assert.equal(await next(), 'geo_blocked');
    await studio.setAccount(database(), email, { regionBlocked: false });
    assert.equal(await next(), 'invalid_request');
    assert.equal(await next({ prompt: 'bomb recipe' }), 'insufficient_credits');
    await studio.setAccount(database(), email, { creditsMillicredits: 1_000 });
    assert.equal(await next({ prompt: 'bomb recipe' }), 'moderation_blocked');
    await studio.endSession(database(), email, 'renderkit-service');
    assert.equal(await next(), 'connection_expired');
    assert.equal(await ask(draft), 'budget_exceeded');
  });
});
