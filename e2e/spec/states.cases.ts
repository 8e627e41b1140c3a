import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as studio from '@renderkit/studio/operator.ts';
import {
  assertRefused,
  create,
  ended,
  type Generation,
  type List,
  sharedWorld,
  type World,
} from './world.ts';

describe('§3 states and transitions', () => {
  let world: World;

  before(async () => {
    world = await sharedWorld();
  });

  test('what waits in the queue can be canceled once, and is free', async () => {
    const { who, call } = await world.person({ credits: 1 }, { dailyBudget: 1 });
    await world.setSlots(who, 0);
    for (let i = 0; i < 3; i++) {
      const made = await create(call, { prompt: `wish ${i}`, metadata: { i: String(i) } });
      assert.equal(made.status, 202, 'neither credits nor the budget of the day are held any more');
      const canceled = await call<Generation>('POST', `/v1/generations/${made.body.id}/cancel`);
      assert.equal(canceled.status, 200);
      const { completed_at: at, ...rest } = canceled.body;
      assert.ok(at !== null && at >= made.body.created_at);
      const { completed_at: _, ...unfinished } = made.body;
      assert.deepEqual(rest, { ...unfinished, status: 'canceled' });
      assertRefused(await call('POST', `/v1/generations/${made.body.id}/cancel`), 'conflict');
      assert.deepEqual((await call('GET', `/v1/generations/${made.body.id}?wait=5`)).body, canceled.body);
    }
    const events = await world.platform.databases.service.rows<{ n: number }>(
      `select count(*)::int as n from events where account_id = (select id from accounts where email = $1)`,
      [who.email],
    );
    assert.deepEqual(events, [{ n: 0 }]);
  });

  test('what the studio has cannot be canceled, running or done', async () => {
    const { call } = await world.person();
    const [worker] = world.platform.workers;
    await worker?.kill('SIGSTOP');
    const made = await create(call);
    let status = 'queued';
    for (let i = 0; i < 100 && status === 'queued'; i++) {
      await sleep(50);
      status = (await call<Generation>('GET', `/v1/generations/${made.body.id}`)).body.status;
    }
    assert.equal(status, 'running');
    const { body: limits } = await call<{ image: object; overall: object }>('GET', '/v1/account/limits');
    assert.deepEqual(
      [limits.image, limits.overall],
      [
        { limit: 4, running: 1, queued: 0 },
        { limit: 8, running: 1 },
      ],
    );
    assertRefused(await call('POST', `/v1/generations/${made.body.id}/cancel`), 'conflict');
    const { body: running } = await call<Generation>('GET', `/v1/generations/${made.body.id}`);
    assert.deepEqual([running.outputs, running.completed_at, running.error], [[], null, null]);
    assert.ok(running.submitted_at !== null);
    await worker?.kill('SIGCONT');
    assert.equal((await ended(call, made.body.id)).status, 'succeeded');
    assertRefused(await call('POST', `/v1/generations/${made.body.id}/cancel`), 'conflict');
  });

  test('what exceeds the limit waits, is counted as queued, and runs when a slot is free', async () => {
    const { call } = await world.person({ tier: 'free' });
    const [worker] = world.platform.workers;
    await worker?.kill('SIGSTOP');
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await create(call, { prompt: `wish ${i}` })).body.id);
    // The studio's number and ours change one after the other.
    const expected = { limit: 1, running: 1, queued: 2 };
    let limits: unknown;
    for (let i = 0; i < 100 && !isDeepStrictEqual(limits, expected); i++) {
      await sleep(50);
      limits = (await call<{ image: object }>('GET', '/v1/account/limits')).body.image;
    }
    assert.deepEqual(limits, expected);
    const count = async (status: string) =>
      (await call<List>('GET', `/v1/generations?status=${status}`)).body.data.length;
    assert.deepEqual([await count('running'), await count('queued')], [1, 2]);
    await worker?.kill('SIGCONT');
    const done = await Promise.all(ids.map((id) => ended(call, id)));
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['succeeded']));
  });

  test('what can never start fails, keeps its cost, and frees budget and credits', async () => {
    const { who, call } = await world.person({ credits: 2 }, { dailyBudget: 2 });
    await world.setSlots(who, 0);
    const made = await create(call);
    assert.equal(made.status, 202);
    await studio.setAccount(world.platform.databases.studio, who.email, { creditsMillicredits: 0 });
    await world.setSlots(who, 8);
    const failed = await ended(call, made.body.id);
    assert.deepEqual(
      [failed.status, failed.error?.code, failed.cost, failed.outputs, failed.submitted_at],
      ['failed', 'insufficient_credits', { credits: 1 }, [], null],
    );
    assert.ok(failed.completed_at !== null && (failed.error?.message ?? '') !== '');
    await studio.setAccount(world.platform.databases.studio, who.email, { creditsMillicredits: 2_000 });
    const again = await Promise.all([create(call), create(call, { prompt: 'another' })]);
    assert.deepEqual(
      again.map(({ status }) => status),
      [202, 202],
      'the whole budget is there again',
    );
    assertRefused(await create(call), 'budget_exceeded');
  });
});
