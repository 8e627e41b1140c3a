import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Key } from '@renderkit/contract/v1/schemas/key.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

let service: TestService;
let studio: ScriptedRenders;
let key: string;
before(async () => {
  service = await startTestService();
  studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 1_000_000;
});
after(async () => service[Symbol.asyncDispose]());
beforeEach(async () => {
  key = await service.createKey();
});

const create = (prefer: string, headers: Record<string, string> = {}) =>
  service.ask<Generation>('/v1/images/generations', {
    key,
    body: { prompt: 'a lake' },
    headers: { prefer, ...headers },
  });

async function finishNext(): Promise<string> {
  const queued = () => [...studio.renders.values()].find(({ status }) => status === 'queued')?.token;
  await studio.until(() => queued() !== undefined);
  const token = queued() ?? '';
  studio.finish(token);
  return token;
}

test('a create that prefers to wait answers with the end, and a replay with what was accepted', async () => {
  const headers = { 'idempotency-key': 'one' };
  const waiting = create('respond-async, wait=30', headers);
  const id = await finishNext();
  const answer = await waiting;
  assert.equal(answer.status, 202);
  assert.deepEqual([answer.body.id, answer.body.status, answer.body.outputs.length], [id, 'succeeded', 1]);
  assert.equal(answer.headers.get('preference-applied'), 'wait=30');
  const again = await create('wait=30', headers);
  assert.deepEqual([again.status, again.body.id, again.body.status], [202, id, 'queued']);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.headers.get('preference-applied'), null);
  assert.equal((await create('', headers)).text, again.text);
});

test('when the time is up the answer has the state as it is', async () => {
  const answer = await create('wait="1"');
  assert.equal(answer.status, 202);
  assert.match(answer.body.status, /^(queued|running)$/);
  assert.equal(answer.headers.get('preference-applied'), 'wait=1');
  await finishNext();
});

test('no more than a minute is granted, and what is no wait is passed over', async () => {
  const waiting = create('wait=3600');
  await finishNext();
  assert.equal((await waiting).headers.get('preference-applied'), 'wait=60');
  for (const prefer of ['wait', 'wait=', 'wait=-1', 'wait=soon', 'return=minimal', 'wait=0']) {
    const answer = await create(prefer);
    assert.deepEqual(
      [answer.body.status, answer.headers.get('preference-applied')],
      ['queued', null],
      prefer,
    );
    await finishNext();
  }
});

test('a create whose key is revoked while it waits is accepted all the same', async () => {
  const earlier = studio.renders.size;
  const waiting = create('wait=30');
  await studio.until(() => studio.renders.size > earlier);
  await service.database.rows('update api_keys set revoked_at = clock() where public_id = $1', [
    key.slice(8, 20),
  ]);
  const answer = await waiting;
  assert.equal(answer.status, 202);
  assert.deepEqual([answer.body.status, answer.headers.get('preference-applied')], ['queued', null]);
  await finishNext();
});

test('a key is told what it is and has left, whatever its scopes', async () => {
  const limited = await service.createKey({ scopes: ['generate'], rateLimitPerMinute: 50 });
  const mine = () => service.ask<Key>('/v1/key', { key: limited });
  const { body } = await mine();
  assert.deepEqual(
    [body.object, body.name, body.scopes, body.requests_per_minute, body.daily_budget, body.expires_at],
    ['key', 'test', ['generate'], 50, null, null],
  );
  await service.database.rows('update api_keys set daily_budget_millicredits = 9000 where public_id = $1', [
    limited.slice(8, 20),
  ]);
  await service.ask('/v1/images/generations', { key: limited, body: { prompt: 'a lake' } });
  const budget = (await mine()).body.daily_budget;
  assert.deepEqual([budget?.credits, budget?.committed, budget?.left], [9, 4, 5]);
  assert.equal(body.confirm_above, 25);
  await service.database.rows('update api_keys set confirm_above_millicredits = null where public_id = $1', [
    limited.slice(8, 20),
  ]);
  assert.equal((await mine()).body.confirm_above, null);
  assert.match(budget?.resets_at ?? '', /T00:00:00\.000Z$/);
});
