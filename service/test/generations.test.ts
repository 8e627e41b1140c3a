import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { Generation as GenerationSchema } from '@renderkit/contract/v1/schemas/generation.ts';
import { eventSchemas } from '@renderkit/contract/v1/schemas/event.ts';
import { type Answer, startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';
import { validatorOf } from './validators.ts';

let service: TestService;
let studio: ScriptedRenders;
let key: string;
before(async () => {
  service = await startTestService({ reconcileMs: 200, retryMs: 50 });
  studio = scriptRenders(service.studio);
});
after(async () => service[Symbol.asyncDispose]());
beforeEach(async () => {
  studio.next = [];
  studio.hold = undefined;
  service.studio.balance.lifetime_millicredits = 1_000_000;
  const lane = { limit: 2, running: 0, running_elsewhere: 0 };
  studio.limits = { overall: { ...lane, limit: 4 }, image: lane, edit: lane, video: lane };
  // First let the generations of the last test end.
  await service.database.rows('update accounts set dispatch_after = null, limits_read_at = null');
  await until('the end of what the last test left', async () => {
    for (const { token, status } of studio.renders.values()) if (status === 'queued') studio.finish(token);
    return (await statusCount('queued')) + (await statusCount('running')) === 0;
  });
  await service.database.rows('update accounts set dispatch_after = null, dispatch_failures = 0');
  await service.database.rows('update accounts set limits_read_at = null');
  key = await service.createKey();
});

const isGeneration = validatorOf(GenerationSchema);
const isSuccess = validatorOf(eventSchemas['generation.succeeded']);

async function statusCount(status: string): Promise<number> {
  const rows = await service.database.rows<{ count: number }>(
    'select count(*)::int as count from generations where status = $1',
    [status],
  );
  return rows[0]?.count ?? 0;
}

let prompts = 0;
async function create(
  headers: Record<string, string> = {},
  body: object = { prompt: `picture ${++prompts}` },
): Promise<Answer<Generation>> {
  return service.ask<Generation>('/v1/images/generations', { key, body, headers });
}

async function accepted(): Promise<string> {
  const answer = await create();
  assert.equal(answer.status, 202, answer.text);
  assert.ok(isGeneration(answer.body), JSON.stringify(isGeneration.errors));
  return answer.body.id;
}

async function get(id: string, wait?: number): Promise<Generation> {
  const answer = await service.ask<Generation>(
    `/v1/generations/${id}${wait === undefined ? '' : `?wait=${wait}`}`,
    { key },
  );
  assert.equal(answer.status, 200, answer.text);
  assert.ok(isGeneration(answer.body), JSON.stringify(isGeneration.errors));
  return answer.body;
}

const submitted = (id: string) => until('the submit', () => studio.renders.has(id));
const running = (id: string) => until('its start', async () => (await get(id)).status === 'running');

async function eventsOf(id: string): Promise<{ type: string; data: Generation }[]> {
  const rows = await service.database.rows<{ body: string }>(
    'select body from events where subject_id = $1',
    [id],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

async function account(): Promise<Record<string, number>> {
  const [row] = await service.database.rows<Record<string, number>>('select * from accounts where id = $1', [
    service.accountId,
  ]);
  return row ?? {};
}

test('a create is submitted, and the long poll wakes with its outputs and one event that holds the same', async () => {
  const answer = await create({}, { prompt: 'a lake', metadata: { order: '4711' } });
  assert.equal(answer.status, 202);
  assert.equal(answer.body.status, 'queued');
  const { id } = answer.body;
  await running(id);
  const waiting = get(id, 30);
  await sleep(50);
  studio.finish(id);
  const done = await waiting;
  assert.equal(done.status, 'succeeded');
  assert.equal(done.outputs.length, 1);
  assert.deepEqual(done.metadata, { order: '4711' });
  assert.ok(
    done.created_at <= (done.submitted_at ?? '') && (done.submitted_at ?? '') <= (done.completed_at ?? ''),
  );
  const events = await eventsOf(id);
  assert.equal(events.length, 1);
  assert.ok(isSuccess(events[0]), JSON.stringify(isSuccess.errors));
  assert.deepEqual(events[0]?.data, done);
  assert.equal((await account())['uncharged_millicredits'], 0);
});

test('a failed render fails, frees its budget and tells so', async () => {
  key = await service.createKey();
  await service.database.rows('update api_keys set daily_budget_millicredits = 4000');
  const id = await accepted();
  assert.equal((await create()).status, 403);
  await running(id);
  studio.finish(id, { status: 'failed' });
  const done = await get(id, 10);
  assert.equal(done.status, 'failed');
  assert.equal(done.error?.code, 'upstream_error');
  assert.deepEqual(
    (await eventsOf(id)).map(({ type }) => type),
    ['generation.failed'],
  );
  const again = await accepted();
  await service.database.rows('update api_keys set daily_budget_millicredits = null');
  await submitted(again);
});

test('missing outputs make a success with partial_failure, which counts in full', async () => {
  const id = await accepted();
  await running(id);
  studio.finish(id, { outputs: 0, error: { code: 'partial_failure', message: 'one is missing' } });
  const done = await get(id, 10);
  assert.equal(done.status, 'succeeded');
  assert.equal(done.error?.code, 'partial_failure');
  assert.deepEqual(
    (await eventsOf(id)).map(({ type }) => type),
    ['generation.succeeded'],
  );
});

test('a busy studio leaves it queued, to be canceled or to start later, within the limits that the studio told', async () => {
  const busy = { ...studio.limits, image: { limit: 1, running: 1, running_elsewhere: 1 } };
  studio.next = [{ outcome: { outcome: 'busy', retry_after: 1, limits: busy } }];
  const id = await accepted();
  await until('the failed dispatch', async () => (await account())['dispatch_failures'] === 1);
  assert.equal((await account())['elsewhere_image'], 1);
  assert.equal((await get(id)).status, 'queued');
  const other = await accepted();
  const canceled = await service.ask<Generation>(`/v1/generations/${other}/cancel`, { key, method: 'POST' });
  assert.equal(canceled.status, 200, canceled.text);
  const first = await service.ask(`/v1/generations/${id}/cancel`, { key, method: 'POST' });
  assert.equal(first.status, 200, 'the studio said that it knows nothing of it');
  assert.equal(studio.submits.filter((token) => token === other).length, 0);
});

test('a busy studio is asked for its limits again after the pause', async () => {
  const busy = { ...studio.limits, image: { limit: 2, running: 2, running_elsewhere: 2 } };
  studio.next = [{ outcome: { outcome: 'busy', retry_after: 0, limits: busy } }];
  const id = await accepted();
  const began = performance.now();
  await submitted(id);
  const took = performance.now() - began;
  assert.ok(took > 600 && took < 5_000, `it took ${took} ms`);
});

test('an answer that is lost costs no second render and no second charge', async () => {
  studio.next = ['lose-answer', 'lose-answer'];
  const id = await accepted();
  await running(id);
  assert.ok(studio.submits.filter((token) => token === id).length >= 2);
  assert.equal(studio.ledger.filter(({ token }) => token === id).length, 1);
  studio.finish(id);
  assert.equal((await get(id, 10)).status, 'succeeded');
});

test('the feed may be faster than the answer to the submit', async () => {
  studio.next = ['finish-first'];
  const id = await accepted();
  const done = await get(id, 10);
  assert.equal(done.status, 'succeeded');
  assert.equal((await eventsOf(id)).length, 1);
  await sleep(400);
  assert.deepEqual(await get(id), done);
});

test('credits that went elsewhere before the submit: failed, freed, told', async () => {
  const refusal = { code: 'insufficient_credits', message: 'spent' } as const;
  studio.next = [{ outcome: { outcome: 'refused', refusal } }];
  const id = await accepted();
  const done = await get(id, 10);
  assert.equal(done.status, 'failed');
  assert.equal(done.error?.code, 'insufficient_credits');
  assert.equal(done.submitted_at, null);
  assert.equal((await eventsOf(id)).length, 1);
  assert.equal((await account())['uncharged_millicredits'], 0);
});

test('a quote past its time is asked for once more', async () => {
  const refusal = { code: 'quote_invalid', message: 'too old' } as const;
  studio.next = [{ outcome: { outcome: 'refused', refusal } }];
  const id = await accepted();
  await running(id);
  studio.finish(id);
  studio.next = [{ outcome: { outcome: 'refused', refusal } }, { outcome: { outcome: 'refused', refusal } }];
  const other = await accepted();
  assert.equal((await get(other, 10)).error?.code, 'upstream_error');
});

test('a poisoned change is recorded and holds up nobody', async () => {
  const [one, two] = [await accepted(), await accepted()];
  await running(one);
  await running(two);
  studio.tell({ token: one, render: { token: one, status: 'exploded' } });
  studio.tell({ token: 'gen_stranger', render: studio.renders.get(two) });
  studio.finish(two);
  assert.equal((await get(two, 10)).status, 'succeeded');
  const unapplied = await service.database.rows<{ token: string }>('select token from unapplied_changes');
  assert.deepEqual(unapplied.map(({ token }) => token).sort(), ['gen_stranger', one].sort());
  studio.finish(one);
  assert.equal((await get(one, 10)).status, 'succeeded');
});

test('a change that the database refuses is passed by, the others of its batch are not', async () => {
  const [one, two] = [await accepted(), await accepted()];
  await running(one);
  await running(two);
  await service.database.rows(
    `create function refuse() returns trigger language plpgsql as
       $$ begin if new.subject_id = '${one}' then raise 'refused by a test'; end if; return new; end $$;
     create trigger refuse before insert on events for each row execute function refuse()`,
  );
  studio.finish(one);
  studio.finish(two);
  assert.equal((await get(two, 10)).status, 'succeeded');
  await until(
    'the change that could not be applied',
    async () =>
      (await service.database.rows(`select from unapplied_changes where token = '${one}'`)).length > 0,
  );
  await service.database.rows('drop trigger refuse on events; drop function refuse');
  assert.equal((await get(one)).status, 'running');
  await service.database.rows(
    `update generations set heard_at = clock() - interval '2 minutes' where id = $1`,
    [one],
  );
  assert.equal((await get(one, 20)).status, 'succeeded', 'the reconciliation asks for it by its token');
});

test('a feed that lost its place is reconciled by tokens', async () => {
  const id = await accepted();
  await running(id);
  const render = studio.renders.get(id);
  assert.ok(render);
  Object.assign(render, {
    status: 'failed',
    error: { code: 'x', message: 'x' },
    completed_at: new Date().toISOString(),
  });
  studio.tellOnce('reset');
  assert.equal((await get(id, 10)).status, 'failed');
});

test('an ended session lets what is queued wait, cancel and reads go on, and reconnecting resumes it', async () => {
  const running1 = await accepted();
  await running(running1);
  service.studio.endSessions();
  studio.tellOnce('ended');
  await until('the refusal of a create', async () => (await create()).status === 403);
  assert.equal((await get(running1)).status, 'running');
  studio.finish(running1);
  await service.connectAccount(service.studio.account.id);
  assert.equal((await get(running1, 15)).status, 'succeeded');
  const id = await accepted();
  await running(id);
});

test('cancel: once, with no event, and never what was sent', async () => {
  const [one, two, three] = [await accepted(), await accepted(), await accepted()];
  await running(one);
  await running(two);
  const cancel = (id: string) =>
    service.ask<Generation>(`/v1/generations/${id}/cancel`, { key, method: 'POST' });
  assert.equal((await cancel(one)).status, 409);
  const canceled = await cancel(three);
  assert.equal(canceled.status, 200);
  assert.ok(isGeneration(canceled.body));
  assert.equal(canceled.body.status, 'canceled');
  assert.equal((await cancel(three)).status, 409);
  assert.deepEqual(await eventsOf(three), []);
  assert.equal((await cancel('gen_00000000000000000000000000')).status, 404);
  const stranger = await service.createKey({ accountId: await service.connectAccount() });
  const theirs = await service.ask(`/v1/generations/${three}/cancel`, { key: stranger, method: 'POST' });
  assert.equal(theirs.status, 404);
});

test('100 creates at once with one Idempotency-Key on two processes: equal bytes, one generation, one charge', async () => {
  await using another = await service.startAnother();
  const urls = [service.url, another.url];
  const body = JSON.stringify({ prompt: 'one of a hundred' });
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const answer = await fetch(`${urls[i % 2]}/v1/images/generations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'storm',
        },
        body,
      });
      return {
        status: answer.status,
        text: await answer.text(),
        replayed: answer.headers.get('idempotent-replayed'),
      };
    }),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(answers.filter(({ replayed }) => replayed === 'true').length, 99);
  const { id } = JSON.parse(answers[0]?.text ?? '') as Generation;
  await running(id);
  assert.equal(studio.ledger.filter(({ token }) => token === id).length, 1);
});

test('a replay works without the studio and in another writing of the same body; another body is a conflict', async () => {
  const first = await create({ 'idempotency-key': 'k' }, { prompt: 'same', metadata: { a: '1', b: '2' } });
  service.studio.script('createQuotes', { status: 503, json: { code: 'maintenance', message: 'away' } });
  const again = await service.ask('/v1/images/generations', {
    key,
    body: '{ "metadata": {"b":"2","a":"1"}, "prompt":"s\\u0061me" }',
    headers: { 'idempotency-key': 'k' },
  });
  assert.equal(again.status, 202);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await create({ 'idempotency-key': 'k' }, { prompt: 'other' });
  assert.equal(other.status, 409);
  assert.equal((await create({ 'idempotency-key': 'k2' })).status, 503);
  service.studio.script('createQuotes', undefined);
  assert.equal((await create({ 'idempotency-key': 'k2' })).status, 202, 'errors are not remembered');
});

test('two credits worth of jobs on an account with just that much: no false 402', async () => {
  for (let round = 0; round < 5; round++) {
    service.studio.balance.monthly_millicredits = 0;
    service.studio.balance.lifetime_millicredits = 8_000;
    const first = await create();
    await sleep(round * 4);
    const second = await create();
    assert.deepEqual([first.status, second.status], [202, 202], second.text);
    assert.equal((await create()).status, 402);
    for (const { body } of [first, second]) {
      await submitted(body.id);
      await running(body.id);
      studio.finish(body.id);
      await get(body.id, 10);
    }
  }
});

test('a long poll answers at its time, and 401 once its key is revoked on another process', async () => {
  studio.hold = sleep(4_000);
  const id = await accepted();
  const began = performance.now();
  assert.equal((await get(id, 1)).status, 'queued');
  const took = performance.now() - began;
  assert.ok(took > 950 && took < 2_500, `it took ${took} ms`);
  const mine = await service.createKey();
  const waiting = service.ask(`/v1/generations/${id}?wait=30`, { key: mine });
  await sleep(200);
  await service.database.rows(
    'update api_keys set revoked_at = clock() where id = (select max(id) from api_keys)',
  );
  assert.equal((await waiting).status, 401);
});

test('a poll held by one process wakes when another settles, even if no notification comes', async () => {
  await using another = await service.startAnother();
  const id = await accepted();
  await running(id);
  const waits = Array.from({ length: 5 }, async () => {
    const answer = await fetch(`${another.url}/v1/generations/${id}?wait=30`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await answer.json()) as Generation).status;
  });
  await sleep(200);
  studio.finish(id);
  assert.deepEqual(await Promise.all(waits), Array(5).fill('succeeded'));
});

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

test('a process that stops answers its polls at once with the state as it is', async () => {
  const another = await service.startAnother();
  studio.hold = sleep(3_000);
  const id = await accepted();
  const waits = Array.from({ length: 20 }, () =>
    fetch(`${another.url}/v1/generations/${id}?wait=30`, { headers: { authorization: `Bearer ${key}` } }),
  );
  await until('twenty long polls', async () =>
    /^renderkit_open_long_polls 20$/m.test(await metricsOf(another.url)),
  );
  const began = performance.now();
  const stopped = another[Symbol.asyncDispose]();
  const answers = await Promise.all(waits);
  assert.ok(performance.now() - began < 1_500);
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
  assert.deepEqual([...new Set(answers.map((answer) => answer.headers.get('connection')))], ['close']);
  await Promise.all(answers.map((answer) => answer.text()));
  await stopped;
});

test('what a process leaves behind is submitted and watched by another', async () => {
  const another = await service.startAnother();
  const id = await accepted();
  await running(id);
  await service.database.rows(
    `update watches set owner = 'svc_dead', lease_until = clock() + interval '1 second'`,
  );
  await another[Symbol.asyncDispose]();
  studio.finish(id);
  assert.equal((await get(id, 20)).status, 'succeeded');
});

test('lists come newest first, in pages, by status and kind', async () => {
  const mine = await service.connectAccount();
  const theirKey = await service.createKey({ accountId: mine });
  const ids: string[] = [];
  for (let i = 0; i < 7; i++)
    ids.unshift(
      await service.addGeneration({ accountId: mine, status: i % 2 === 0 ? 'succeeded' : 'failed' }),
    );
  const list = async (query: string) => {
    const answer = await service.ask<{ data: Generation[]; has_more: boolean }>(`/v1/generations${query}`, {
      key: theirKey,
    });
    assert.equal(answer.status, 200, answer.text);
    return { ids: answer.body.data.map(({ id }) => id), more: answer.body.has_more };
  };
  assert.deepEqual(await list(''), { ids, more: false });
  assert.deepEqual(await list('?limit=3'), { ids: ids.slice(0, 3), more: true });
  assert.deepEqual(await list('?limit=3&page=3'), { ids: ids.slice(6), more: false });
  assert.deepEqual(await list('?page=50'), { ids: [], more: false });
  assert.deepEqual(
    (await list('?status=failed')).ids,
    ids.filter((_, i) => i % 2 === 1),
  );
  assert.deepEqual((await list('?kind=video')).ids, []);
  assert.deepEqual((await list('?kind=image&status=succeeded&limit=2')).more, true);
  const far = await service.ask('/v1/generations?page=999999&limit=100', { key: theirKey });
  assert.equal(far.status, 400);
});

test('a create that costs more than it allows is refused with its price, and a replay never is', async () => {
  const body = { prompt: 'a quiet harbor' };
  const at = (credits: string, more: Record<string, string> = {}) =>
    create({ 'x-renderkit-max-credits': credits, ...more }, body);
  const made = await create({ 'idempotency-key': 'paid' }, body);
  const price = made.body.cost.credits ?? Number.NaN;
  const refused = await at(String(price - 0.001));
  assert.equal(refused.status, 403, refused.text);
  const { code, detail } = refused.body as unknown as { code: string; detail: string };
  assert.equal(code, 'budget_exceeded');
  assert.match(detail, new RegExp(`costs ${price} credits`));
  assert.equal((await at(String(price))).status, 202);
  assert.equal((await at('0', { 'idempotency-key': 'paid' })).text, made.text);
  for (const wrong of ['', 'cheap', '-1', '1e3', '0.0001']) {
    const answer = await at(wrong);
    assert.equal(answer.status, 400, wrong);
    assert.match(answer.text, /X-Renderkit-Max-Credits/);
  }
});
