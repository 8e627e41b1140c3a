import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { streamEventSchemas } from '@renderkit/contract/v1/schemas/event.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { Compile } from 'typebox/compile';
import { endSession } from '../src/identity/sessions/end-session.ts';
import { revokeKey } from '../src/operator.ts';
import { assertProblem } from './assert-problem.ts';
import { cookieName, fromConsole, openBrowser } from './console-session.ts';
import { startTestService, type TestService } from './harness.ts';
import { postForm } from './post-form.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';
import { openStream, type ReadEvent, type StreamReader } from './stream-reader.ts';

let service: TestService;
let studio: ScriptedRenders;
let key: string;
before(async () => {
  service = await startTestService({ reconcileMs: 200, retryMs: 50 });
  studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 1_000_000_000;
});
after(async () => service[Symbol.asyncDispose]());
beforeEach(async () => {
  key = await service.createKey();
});

const asJson = { accept: 'application/json' };
type Envelope = { id: string; object: string; type: string; data: { id: string } };

const stream = (more: { query?: string; lastEventId?: string; url?: string } = {}) =>
  openStream(`${more.url ?? service.url}/v1/events${more.query ?? ''}`, {
    authorization: `Bearer ${key}`,
    ...(more.lastEventId !== undefined && { 'last-event-id': more.lastEventId }),
  });

async function list(query = '', headers: Record<string, string> = {}) {
  const answer = await service.ask<{ data: Envelope[]; has_more: boolean }>(`/v1/events${query}`, {
    key,
    headers: { ...asJson, ...headers },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function create(url = service.url): Promise<string> {
  const answer = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"prompt":"a lake","metadata":{"order":"1"}}',
  });
  assert.equal(answer.status, 202);
  return ((await answer.json()) as Generation).id;
}

async function nextOf(reader: StreamReader): Promise<ReadEvent> {
  const event = await reader.next();
  assert.ok(event, 'the stream has ended');
  return event;
}

async function untilRunning(id: string): Promise<void> {
  await studio.until(() => studio.renders.has(id));
  await until(
    'its start',
    async () => (await service.ask(`/v1/generations/${id}`, { key })).body['status'] === 'running',
  );
}

test('a stream tells of a generation from its create to its end, as the list and the webhooks do', async () => {
  await using reader = await stream();
  assert.deepEqual(
    [reader.status, reader.headers.get('content-type'), reader.headers.get('x-accel-buffering')],
    [200, 'text/event-stream', 'no'],
  );
  assert.match(reader.headers.get('x-request-id') ?? '', /^req_/);
  const id = await create();
  const created = await nextOf(reader);
  const running = await nextOf(reader);
  studio.finish(id);
  const succeeded = await nextOf(reader);
  const events = [created, running, succeeded];
  assert.deepEqual(
    events.map(({ event }) => event),
    ['generation.created', 'generation.running', 'generation.succeeded'],
  );
  for (const { event, id: eventId, data } of events) {
    const envelope = JSON.parse(data) as Envelope;
    assert.deepEqual([envelope.id, envelope.type, envelope.data.id], [eventId, event, id]);
    assert.match(envelope.id, /^evt_[0-9a-z]{26}$/);
    const schema = streamEventSchemas[event as keyof typeof streamEventSchemas];
    assert.ok(Compile(schema).Check(envelope), data);
  }
  const [stored] = await service.database.rows<{ body: string }>(
    'select body from events where subject_id = $1',
    [id],
  );
  assert.equal(succeeded.data, stored?.body);
  const listed = (await list('?limit=100')).data.filter(({ data }) => data.id === id);
  assert.deepEqual(
    listed,
    events.map(({ data }) => JSON.parse(data)),
    'told later they are the same, though the generation has moved on',
  );
});

test('a stream begins with the id of the newest event, from which one that broke at once goes on', async () => {
  const id = await create();
  await untilRunning(id);
  studio.finish(id);
  await service.ask(`/v1/generations/${id}?wait=10`, { key });
  const newest = (await list('?limit=100')).data.at(-1)?.id;
  const leaving = new AbortController();
  const answer = await fetch(`${service.url}/v1/events?types=upload.ready`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('id: evt_')) break;
  }
  leaving.abort();
  const [, begun] = /^id: (evt_\w+)\n\n/m.exec(text) ?? [];
  const known = (await list('?limit=100')).data.map((event) => event.id);
  assert.ok(known.indexOf(begun ?? '') >= known.indexOf(newest ?? ''), text);
});

test('an account without any event has a place to go on from as well, for as long as events are kept', async () => {
  key = await service.createKey({ accountId: await service.connectAccount() });
  const listed = await service.ask('/v1/events', { key, headers: asJson });
  const begun = listed.headers.get('x-renderkit-last-event-id') ?? '';
  assert.match(begun, /^evt_none_\d+$/);
  const leaving = new AbortController();
  const answer = await fetch(`${service.url}/v1/events`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  const { value } = (await answer.body?.getReader().read()) ?? {};
  leaving.abort();
  assert.match(Buffer.from(value ?? []).toString(), /^id: evt_none_\d+\n\n/m);
  const id = await create();
  await using again = await stream({ lastEventId: begun });
  const first = await nextOf(again);
  assert.deepEqual([first.event, JSON.parse(first.data).data.id], ['generation.created', id]);
  const old = `evt_none_${Math.floor(Date.now() / 1_000) - 8 * 86_400}`;
  const refused = await service.refusal(`/v1/events?after=${old}`, { key, headers: asJson });
  assertProblem(refused, 'invalid_request', 'too old');
});

test('what created shows is what the create answered', async () => {
  const answer = await service.ask<Generation>('/v1/images/generations', { key, body: { prompt: 'a lake' } });
  await untilRunning(answer.body.id);
  const created = (await list('?types=generation.created&limit=100')).data.find(
    ({ data }) => data.id === answer.body.id,
  );
  assert.deepEqual(created?.data, answer.body);
});

test('a canceled generation is told of, others’ events never', async () => {
  const other = await service.connectAccount();
  const earlier = (await list('?limit=100')).data.at(-1)?.id ?? '';
  await service.database.rows(`update accounts set dispatch_after = clock() + interval '1 hour'`);
  const id = await create();
  await service.ask(`/v1/generations/${id}/cancel`, { key, method: 'POST' });
  await service.database.rows('update accounts set dispatch_after = null');
  assert.deepEqual(
    (await list(`?after=${earlier}`)).data.map(({ type, data }) => [type, data.id]),
    [
      ['generation.created', id],
      ['generation.canceled', id],
    ],
  );
  const theirs = await service.createKey({ accountId: other });
  const answer = await service.ask<{ data: unknown[] }>('/v1/events', { key: theirs, headers: asJson });
  assert.deepEqual(answer.body.data, []);
});

test('what becomes of an upload is told as webhooks tell it', async () => {
  await using reader = await stream({ query: '?types=upload.ready' });
  const sent = await postForm<{ id: string }>(`${service.url}/v1/uploads`, key, [
    { name: 'file', value: 'some bytes', fileName: 'lake.png' },
  ]);
  assert.equal(sent.status, 201, sent.text);
  const { id } = sent.body;
  const file = service.studio.uploads.files.get(id);
  assert.ok(file);
  studio.tell({ token: id, upload: { ...file.upload, status: 'ready' } });
  const ready = await nextOf(reader);
  assert.deepEqual([ready.event, JSON.parse(ready.data).data.id], ['upload.ready', id]);
});

test('types and pages choose, and Last-Event-ID goes before after', async () => {
  const ids = [await create(), await create(), await create()];
  for (const id of ids) {
    await untilRunning(id);
    studio.finish(id);
    await service.ask(`/v1/generations/${id}?wait=10`, { key });
  }
  const all = await list('?types=generation.created,generation.succeeded&limit=100');
  assert.ok(all.data.every(({ type }) => /created|succeeded/.test(type)));
  const first = await list('?types=generation.created,generation.succeeded&limit=2');
  const second = await list('?types=generation.created,generation.succeeded&limit=2&page=2');
  assert.deepEqual([...first.data, ...second.data], all.data.slice(0, 4));
  assert.equal(first.has_more, true);
  const last = all.data.at(-1)?.id ?? '';
  assert.deepEqual((await list(`?after=${first.data[0]?.id}`, { 'last-event-id': last })).data, []);
  for (const query of ['?types=generation.running', '?types=ping', '?types=', '?types=generation.created,']) {
    const answer = await service.ask(`/v1/events${query}`, { key, headers: asJson });
    assert.equal(answer.status, query === '?types=generation.running' ? 200 : 400, query);
    if (query === '?types=ping')
      assert.match(JSON.stringify(answer.body), /must be one or more of .*generation\.succeeded/);
  }
});

test('an event that is unknown, another’s or too old is no place to go on from', async () => {
  const mine = (await list('?limit=1')).data[0]?.id ?? '';
  const other = await service.createKey({ accountId: await service.connectAccount() });
  const refused = async (asked: Parameters<TestService['refusal']>[1], query = '') => {
    for (const headers of [asJson, { accept: 'text/event-stream' }])
      assertProblem(
        await service.refusal(`/v1/events${query}`, { ...asked, headers: { ...headers, ...asked?.headers } }),
        'invalid_request',
        query,
      );
  };
  await refused({ key, headers: { 'last-event-id': newId('evt_') } });
  await refused({ key, headers: { 'last-event-id': 'x' } });
  await refused({ key: other, headers: { 'last-event-id': mine } });
  await refused({ key: other }, `?after=${mine}`);
  await moveClock(service.database, 7 * 86_400 + 60);
  try {
    await refused({ key, headers: { 'last-event-id': mine } });
  } finally {
    await moveClock(service.database, 0);
  }
});

test('a stream ends with its key, and with the session that it was opened by', async () => {
  const [row] = await service.database.rows<{ id: string }>('select id from api_keys where public_id = $1', [
    key.slice(8, 20),
  ]);
  await using reader = await stream();
  const browser = await openBrowser(service);
  await using ofConsole = await openStream(`${service.url}/console/api/v1/events`, {
    cookie: browser.cookie,
    ...fromConsole,
  });
  assert.ok(browser.cookie.startsWith(cookieName));
  assert.equal(ofConsole.status, 200);
  await revokeKey(service.database, row?.id ?? '');
  assert.equal(await reader.next(), undefined);
  const person = { accountId: service.accountId, sessionId: browser.sessionId, email: null };
  await endSession(service.database, person, browser.sessionId);
  assert.equal(await ofConsole.next(), undefined);
});

test('a key has 100 streams open at most', async () => {
  await using open = new AsyncDisposableStack();
  const answers = await Promise.all(Array.from({ length: 100 }, async () => open.use(await stream())));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const refused = await service.refusal('/v1/events', { key, headers: { accept: 'text/event-stream' } });
  assertProblem(refused, 'rate_limited', 'the hundred and first');
});

test('a service that stops ends its streams, and another goes on where they were', async () => {
  const another = await service.startAnother();
  await using reader = await stream({ url: another.url });
  const id = await create();
  const created = await nextOf(reader);
  const stopped = another[Symbol.asyncDispose]();
  while ((await reader.next()) !== undefined);
  await stopped;
  await using next = await stream({ lastEventId: created.id ?? '' });
  const running = await nextOf(next);
  assert.deepEqual([running.event, JSON.parse(running.data).data.id], ['generation.running', id]);
  studio.finish(id);
});

test('twenty reconnects under load over two services lose no event and tell none twice', async () => {
  const another = await service.startAnother();
  const urls = [service.url, another.url];
  const lane = { limit: 50, running: 0, running_elsewhere: 0 };
  studio.limits = { overall: lane, image: lane, edit: lane, video: lane };
  await service.database.rows('update accounts set limits_read_at = null');
  const [first] = (await list('?types=generation.created&limit=1')).data;
  assert.ok(first);
  const seen: string[] = [];
  let lastEventId = (await list('?limit=100')).data.at(-1)?.id ?? first.id;
  const start = lastEventId;
  const creates = 60;
  let created = 0;
  const loading = Promise.all(
    Array.from({ length: 6 }, async () => {
      while (created < creates) {
        const id = await create(urls[created++ % 2]);
        await studio.until(() => studio.renders.has(id));
        studio.finish(id);
      }
    }),
  );
  const expected = creates * 3;
  for (let connects = 0; seen.length < expected; connects++) {
    await using reader = await stream({ url: urls[connects % 2] ?? '', lastEventId });
    // The first twenty connections are closed after some events, at any point of the running work.
    const atMost = connects < 20 ? 1 + ((connects * 3) % 11) : Number.POSITIVE_INFINITY;
    for (let count = 0; count < atMost && seen.length < expected; count++) {
      lastEventId = (await nextOf(reader)).id ?? '';
      seen.push(lastEventId);
    }
  }
  await loading;
  assert.equal(new Set(seen).size, seen.length, 'none twice');
  const told: string[] = [];
  for (let page = 1, more = true; more; page++) {
    const { data, has_more: hasMore } = await list(`?after=${start}&limit=100&page=${page}`);
    told.push(...data.map(({ id }) => id));
    more = hasMore;
  }
  assert.deepEqual(seen, told, 'all, in one order');
  await another[Symbol.asyncDispose]();
});
