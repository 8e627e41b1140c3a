import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { type ConsoleCaller, signedIn } from './console-caller.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

let service: TestService;
let studio: ScriptedRenders;
let person: ConsoleCaller;
before(async () => {
  service = await startTestService({ reconcileMs: 200, retryMs: 50, studioTimeoutMs: 10_000 });
  studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 100_000_000;
  person = await signedIn(service);
});
after(() => service[Symbol.asyncDispose]());

const overview = (query: object = {}) => person.call('getOverview', { query });
const generate = async (secret: string) => {
  const body = { prompt: 'a calm sea' };
  const answer = await service.ask<Generation>('/v1/images/generations', { key: secret, body });
  assert.equal(answer.status, 202, answer.text);
  return answer.body.id;
};
const key = (more: object = {}) =>
  person.call('createKey', { body: { name: 'a key', scopes: ['read', 'generate'], ...more } });

async function finish(id: string, how: Parameters<ScriptedRenders['finish']>[1] = {}): Promise<void> {
  await until('the submit', () => studio.renders.has(id));
  studio.finish(id, how);
  await until('the end', async () => {
    const answer = await person.browser.ask<Generation>(`/console/api/v1/generations/${id}`);
    return answer.body.completed_at !== null;
  });
}

test('a new account has credits, limits, empty days and nothing to be warned of', async () => {
  const { call, browser, refused } = await signedIn(service, await service.connectAccount());
  const seen = await call('getOverview', { query: { days: 3 } });
  assert.equal(seen.days.length, 3);
  assert.equal(seen.days.at(-1), new Date().toISOString().slice(0, 10));
  assert.deepEqual(seen.spend, []);
  const none = [0, 0, 0];
  assert.deepEqual(seen.outcomes, { succeeded: none, failed: none, canceled: none, open: none });
  assert.deepEqual([seen.latest, seen.warnings], [[], []]);
  const v1 = async (path: string) => (await browser.ask(`/console/api/v1/account/${path}`)).body;
  assert.deepEqual(seen.balance, await v1('balance'));
  assert.deepEqual(seen.limits, await v1('limits'));
  assert.equal((await call('getOverview')).days.length, 30);
  await refused('getOverview', { query: { days: 91 } }, 'invalid_request');
});

test('spend and outcomes are exact by key and day, and a failure gives back on its own day', async () => {
  const script = await key({ name: 'script' });
  await moveClock(service.database, -86_400);
  const yesterday = [await generate(script.key), await generate(script.key), await generate(script.key)];
  await finish(yesterday[0] ?? '');
  await moveClock(service.database, 0);
  const mine = await person.browser.ask<Generation>('/console/api/v1/images/generations', {
    body: { prompt: 'mine' },
  });
  const today = await generate(script.key);
  const open = await overview({ days: 2 });
  const of = (seen: typeof open) =>
    Object.fromEntries(seen.spend.map(({ name, credits }) => [name, credits]));
  assert.deepEqual(of(open), { script: [12, 4], Console: [0, 4] });
  assert.deepEqual(
    [open.outcomes.succeeded, open.outcomes.open],
    [
      [1, 0],
      [2, 2],
    ],
  );
  // One of yesterday's fails only later. The cached outcomes of that day may be old, the spend may not.
  await finish(yesterday[1] ?? '', { status: 'failed' });
  await finish(yesterday[2] ?? '');
  await finish(mine.body.id);
  await finish(today);
  const done = await overview({ days: 2 });
  assert.deepEqual(of(done), { script: [8, 4], Console: [0, 4] });
  assert.deepEqual([done.outcomes.succeeded[1], done.outcomes.open[1]], [2, 0]);
  assert.equal(done.latest.length, 4);
  assert.ok(done.latest.every(({ generation }) => generation.outputs.length > 0));
  assert.deepEqual(done.latest[0]?.generation.id, today);
  await using other = await service.startAnother();
  const fresh = await fetch(`${other.url}/console/api/overview?days=2`, {
    headers: { cookie: person.browser.cookie, 'sec-fetch-site': 'same-origin' },
  });
  const body = (await fresh.json()) as typeof done;
  assert.deepEqual(body.outcomes, {
    succeeded: [2, 2],
    failed: [1, 0],
    canceled: [0, 0],
    open: [0, 0],
  });
});

test('a key at nine tenths of its budget and an endpoint that fails for a day are warned of', async () => {
  const near = await key({ name: 'near', daily_budget: 4.4 });
  const far = await key({ name: 'far', daily_budget: 4.5 });
  const shut = await key({ name: 'shut', daily_budget: 0 });
  for (const one of [near, far]) await finish(await generate(one.key));
  const hook = async () =>
    (await person.call('createWebhook', { body: { url: 'https://8.8.8.8/', events: [] } })).id;
  const [failing, lately, paused] = [await hook(), await hook(), await hook()];
  const fail = (id: string, hours: number) =>
    service.database.rows(
      `update endpoint_turns set state = 'failing', failing_since = clock() - $2 * interval '1 hour'
        where endpoint_id = $1`,
      [id, hours],
    );
  await fail(failing, 24);
  await fail(lately, 23);
  await fail(paused, 48);
  await person.call('updateWebhook', { params: { id: paused }, body: { status: 'paused' } });
  const { warnings } = await overview();
  assert.deepEqual(
    warnings.map(({ code, subject_id: subject }) => [code, subject]),
    [
      ['endpoint_failing', failing],
      ['budget_nearly_used', near.id],
    ],
  );
  assert.ok(!warnings.some(({ subject_id: subject }) => subject === far.id || subject === shut.id));
});

test('a storage of which more than nine tenths is used is warned of', async () => {
  const warned = async (used: number, limit = 1000) => {
    const told = { used_bytes: used, limit_bytes: limit, uploads_bytes: used, outputs_bytes: 0 };
    service.studio.scriptOnce('getStorage', { json: told });
    const { warnings } = await overview();
    return warnings.find(({ code }) => code === 'storage_nearly_used')?.detail;
  };
  assert.equal(await warned(900), undefined);
  assert.match((await warned(901)) ?? '', /^901 bytes of 1000 bytes of storage are used\. Once it is full/);
  assert.match((await warned(1001)) ?? '', /Nothing can be uploaded or generated/);
  assert.match((await warned(0, 0)) ?? '', /Nothing can be uploaded/);
  // An older studio does not have this operation.
  service.studio.scriptOnce('getStorage', { status: 404, json: { code: 'not_found', message: 'no' } });
  assert.deepEqual(
    (await overview()).warnings.filter(
      ({ code }) => code !== 'endpoint_failing' && code !== 'budget_nearly_used',
    ),
    [],
  );
});

test('without the studio the rest is shown, and what is the matter', async () => {
  service.studio.script('getBalance', (_request, response) => void response.writeHead(503).end());
  const down = await overview();
  assert.deepEqual([down.balance, down.warnings[0]?.code], [null, 'studio_unreachable']);
  assert.notEqual(down.limits, null);
  service.studio.script('getBalance', () => undefined);
  const began = performance.now();
  const silent = await overview();
  assert.ok(performance.now() - began < 6_000);
  assert.deepEqual([silent.balance, silent.warnings[0]?.code], [null, 'studio_unreachable']);
  service.studio.script('getBalance', undefined);
  service.studio.script('getLimits', undefined);
  service.studio.endSessions();
  const ended = await overview();
  assert.equal(ended.warnings[0]?.code, 'connection_expired');
  assert.deepEqual([ended.balance, ended.limits], [null, null]);
  assert.ok(ended.days.length > 0);
});
