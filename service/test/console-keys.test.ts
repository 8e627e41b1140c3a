import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import { type ConsoleCaller, signedIn } from './console-caller.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

let service: TestService;
let studio: ScriptedRenders;
let person: ConsoleCaller;
before(async () => {
  service = await startTestService({ reconcileMs: 200, retryMs: 50 });
  studio = scriptRenders(service.studio);
});
after(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  service.studio.balance.lifetime_millicredits = 100_000_000;
  // First let the generations of the last test end.
  await limit(8);
  await until('the end of what is open', async () => {
    for (const { token, status } of studio.renders.values()) if (status === 'queued') studio.finish(token);
    return (await service.database.rows('select 1 from generations where completed_at is null')).length === 0;
  });
  // Nothing may start: created generations wait.
  await limit(0);
  await service.database.rows(`update api_keys set revoked_at = clock() where kind = 'secret'`);
  await service.database.rows('delete from audit_entries');
  person = await signedIn(service);
});

async function limit(most: number): Promise<void> {
  const lane = { limit: most, running: 0, running_elsewhere: 0 };
  studio.limits = { overall: lane, image: lane, edit: lane, video: lane };
  await service.database.rows(
    `update accounts set limit_overall = $1, limit_image = $1, limits_read_at = clock(), dispatch_after = null`,
    [most],
  );
}

const create = async (more: object = {}) =>
  person.call('createKey', { body: { name: 'a key', scopes: [...scopes], ...more } });
const generate = (key: string) =>
  service.ask<Generation>('/v1/images/generations', { key, body: { prompt: 'a calm sea' } });
const generationWith = (id: string, key: string) => service.ask<Generation>(`/v1/generations/${id}`, { key });
const audited = async () =>
  (await person.call('listAudit', { query: { limit: 100 } })).data
    .filter(({ action }) => !action.startsWith('session.') && !action.startsWith('connection.'))
    .map(({ action, subject_id, details }) => [action, subject_id, details]);

test('a key is made, used, listed with what it spent and what waits, changed and revoked', async () => {
  const made = await create({
    name: '"><script>alert(1)</script>',
    daily_budget: 12.345,
    expires_in_days: 7,
  });
  assert.deepEqual(
    [made.name, made.daily_budget, made.spent_today, made.rate_limit, made.queued, made.status],
    ['"><script>alert(1)</script>', 12.345, 0, 120, 0, 'active'],
  );
  assert.ok(made.key.startsWith(made.prefix));
  assert.ok(Date.parse(made.expires_at ?? '') > Date.now() + 6.9 * 86_400_000);
  const { body } = await generate(made.key);
  assert.equal((await generate(made.key)).status, 202);
  const listed = await person.call('listKeys');
  const { key: _, ...shown } = made;
  assert.deepEqual(
    listed.data.find(({ id }) => id === made.id),
    { ...shown, spent_today: 8, queued: 2 },
  );
  assert.ok(!listed.data.some(({ name }) => name === 'Console'));
  const changed = await person.call('updateKey', {
    params: { id: made.id },
    body: { name: 'renamed', daily_budget: 8, rate_limit: 9, confirm_above: 0.5 },
  });
  assert.deepEqual(
    [changed.name, changed.daily_budget, changed.rate_limit, changed.confirm_above],
    ['renamed', 8, 9, 0.5],
  );
  assert.equal((await generate(made.key)).status, 403);
  await service.ask(`/v1/generations/${body.id}/cancel`, { key: made.key, method: 'POST' });
  const got = await person.call('getKey', { params: { id: made.id } });
  assert.deepEqual([got.spent_today, got.queued], [4, 1]);
  const revoked = await person.call('revokeKey', { params: { id: made.id } });
  assert.deepEqual([revoked.status, revoked.canceled, revoked.queued], ['revoked', 0, 1]);
  assert.equal((await generate(made.key)).status, 401);
  await person.refused('updateKey', { params: { id: made.id }, body: { name: 'x' } }, 'conflict');
  await person.call('revokeKey', { params: { id: made.id } });
  assert.deepEqual(await audited(), [
    ['key.revoked', made.id, {}],
    ['key.updated', made.id, { name: 'renamed', daily_budget: '8', rate_limit: '9', confirm_above: '0.5' }],
    [
      'key.created',
      made.id,
      {
        scopes: scopes.join(', '),
        daily_budget: '12.345',
        rate_limit: '120',
        confirm_above: '25',
        expires_in_days: '7',
      },
    ],
  ]);
  assert.ok(!JSON.stringify(await person.call('listAudit')).includes(made.key));
});

test('revoking may cancel what waits for the key, and for it alone; what dispatch has is left', async () => {
  await limit(1);
  const [one, other] = [await create(), await create()];
  const running = (await generate(one.key)).body.id;
  await until('its start', async () => (await generationWith(running, one.key)).body.status === 'running');
  const waiting = [];
  for (let i = 0; i < 5; i++) waiting.push((await generate(one.key)).body.id);
  const others = (await generate(other.key)).body.id;
  const poll = service.ask<Generation>(`/v1/generations/${waiting[0]}?wait=20`, { key: other.key });
  const revoked = await person.call('revokeKey', { params: { id: one.id }, query: { cancel_queued: true } });
  assert.deepEqual([revoked.canceled, revoked.queued, revoked.status], [5, 0, 'revoked']);
  assert.equal((await poll).body.status, 'canceled');
  assert.equal(revoked.spent_today, 4);
  assert.equal((await generationWith(others, other.key)).body.status, 'queued');
  assert.equal((await generationWith(running, other.key)).body.status, 'running');
  const [account] = await service.database.rows(
    'select queued_image, uncharged_millicredits from accounts where id = $1',
    [service.accountId],
  );
  assert.deepEqual(account, { queued_image: 1, uncharged_millicredits: 4_000 });
  const again = await person.call('revokeKey', { params: { id: one.id }, query: { cancel_queued: true } });
  assert.equal(again.canceled, 0);
  assert.deepEqual((await audited())[0], ['key.revoked', one.id, { cancel_queued: 'yes' }]);
  for (const token of studio.renders.keys()) studio.finish(token);
});

test('the revocation holds though canceling fails, and the rest is canceled when it is asked for again', async () => {
  const one = await create();
  for (let i = 0; i < 3; i++) await generate(one.key);
  await service.database.rows(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$`,
  );
  await service.database.rows(
    `create trigger refuse before update on generations for each row when (new.status = 'canceled')
       execute function refuse()`,
  );
  const asked = { params: { id: one.id }, query: { cancel_queued: true } };
  await person.refused('revokeKey', asked, 'internal_error');
  assert.equal((await generate(one.key)).status, 401);
  const between = await person.call('getKey', { params: { id: one.id } });
  assert.deepEqual([between.status, between.queued, between.spent_today], ['revoked', 3, 12]);
  await service.database.rows('drop trigger refuse on generations');
  const again = await person.call('revokeKey', asked);
  assert.deepEqual([again.canceled, again.queued, again.spent_today], [3, 0, 0]);
});

test('creates that race with the revocation are refused or canceled: none is left waiting', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, key } = await create();
    const creates = Array.from({ length: 30 }, () => generate(key));
    await Promise.race(creates);
    const revoked = await person.call('revokeKey', { params: { id }, query: { cancel_queued: true } });
    const answers = await Promise.all(creates);
    const accepted = answers.filter(({ status }) => status === 202).length;
    const others = answers.filter(({ status }) => status !== 202 && status !== 401);
    assert.deepEqual(
      others.map(({ text }) => text),
      [],
    );
    assert.equal(revoked.canceled, accepted);
    const after_ = await person.call('getKey', { params: { id } });
    assert.deepEqual([after_.queued, after_.spent_today], [0, 0]);
  }
});

test('a failed generation gives its budget back, a succeeded one keeps it', async () => {
  const { id, key } = await create();
  await limit(2);
  const [fails, works] = [(await generate(key)).body.id, (await generate(key)).body.id];
  await until('both renders', () => studio.renders.has(fails) && studio.renders.has(works));
  studio.finish(fails, { status: 'failed' });
  studio.finish(works);
  const spent = async () => (await person.call('getKey', { params: { id } })).spent_today;
  await until('success', async () => (await generationWith(works, key)).body.status === 'succeeded');
  await until('the release', async () => (await spent()) === 4);
});

test('settings that make no sense are refused by the name of their field, and leave no trace', async () => {
  const field = async (parts: object) =>
    (
      await person.refused(
        'createKey',
        { body: { name: 'x', scopes: ['read'], ...parts } },
        'invalid_request',
      )
    ).body.errors?.map((error) => error.field);
  assert.deepEqual(await field({ daily_budget: 0.0001 }), ['daily_budget']);
  assert.deepEqual(await field({ daily_budget: -1 }), ['daily_budget']);
  assert.deepEqual(await field({ confirm_above: -1 }), ['confirm_above']);
  assert.deepEqual(await field({ confirm_above: 0.0001 }), ['confirm_above']);
  assert.deepEqual(await field({ daily_budget: 1e10 }), ['daily_budget']);
  assert.deepEqual(await field({ name: '' }), ['name']);
  assert.deepEqual(await field({ name: 'a\u0007b' }), ['name']);
  assert.deepEqual(await field({ name: 'x'.repeat(101) }), ['name']);
  assert.deepEqual(await field({ rate_limit: 0 }), ['rate_limit']);
  assert.deepEqual(await field({ expires_in_days: 0 }), ['expires_in_days']);
  assert.deepEqual(await field({ kind: 'console' }), ['kind']);
  assert.deepEqual(await audited(), []);
  const { id } = await create({ daily_budget: 0 });
  const asked = { params: { id }, body: { daily_budget: 1.0005 } };
  const refusal = await person.refused('updateKey', asked, 'invalid_request');
  assert.deepEqual(refusal.body.errors?.[0]?.field, 'daily_budget');
  assert.equal((await person.call('getKey', { params: { id } })).daily_budget, 0);
  for (const credits of [0.001, 1.005, 0.29, 999_999_999.999, 1_000_000_000])
    assert.equal(
      (await person.call('updateKey', { params: { id }, body: { daily_budget: credits } })).daily_budget,
      credits,
    );
});

test("another account's keys, and the console's own, are unknown to the byte", async () => {
  const { id } = await create();
  const stranger = await signedIn(service, await service.connectAccount());
  const [own] = await service.database.rows<{ id: string }>(
    `select id from api_keys where kind = 'console' and account_id = $1`,
    [service.accountId],
  );
  assert.ok(own);
  const told = (answer: { text: string }) => answer.text.replace(/req_\w+/, '');
  for (const [who, unknown] of [
    [stranger, id],
    [person, own.id],
  ] as const)
    for (const ask of [
      (asked: string) => who.refused('getKey', { params: { id: asked } }, 'not_found'),
      (asked: string) => who.refused('updateKey', { params: { id: asked }, body: {} }, 'not_found'),
      (asked: string) =>
        who.refused('revokeKey', { params: { id: asked }, query: { cancel_queued: true } }, 'not_found'),
    ])
      assert.equal(told(await ask(unknown)), told(await ask('key_00000000000000000000000000')));
  assert.deepEqual((await stranger.call('listKeys')).data, []);
  assert.equal((await person.call('getKey', { params: { id } })).status, 'active');
});

test('fifty active keys are the most, however many are made at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, () =>
      person.browser.ask('/console/api/keys', { body: { name: 'one of many', scopes: ['read'] } }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 50);
  assert.equal(answers.filter(({ status }) => status === 409).length, 10);
  assert.equal((await audited()).length, 50);
});
