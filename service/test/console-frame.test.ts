import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { accountHeader } from '@renderkit/contract/console/headers.ts';
import {
  consoleOperationIds,
  consoleOperations,
  consolePathOf,
} from '@renderkit/contract/console/operations.ts';
import { operationIds, operations } from '@renderkit/contract/v1/operations.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { assertProblem } from './assert-problem.ts';
import { assertPromised } from './assert-promised.ts';
import { type ConsoleBrowser, cookieName, openBrowser } from './console-session.ts';
import { type Answer, type Ask, startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

/** The address of each operation as a browser uses it, with some id for each parameter. */
const addresses = [
  ...consoleOperationIds.map((id) => ({
    id,
    method: consoleOperations[id].method,
    path: consoleOperations[id].path,
  })),
  ...operationIds.map((id) => ({ id, method: operations[id].method, path: consolePathOf(id) })),
].map((one) => ({ ...one, path: one.path.replaceAll(/\{\w+\}/g, 'x') }));

let service: TestService;
let renders: ScriptedRenders;
let browser: ConsoleBrowser;
before(async () => {
  service = await startTestService({ reconcileMs: 200, retryMs: 50 });
  renders = scriptRenders(service.studio);
  browser = await openBrowser(service);
});
after(() => service[Symbol.asyncDispose]());

/** Calls /v1 through the console. The answers must match the contract as they do for a key. */
const askV1 = async <Body>(path: string, ask: Ask = {}, by = browser): Promise<Answer<Body>> => {
  const answer = await by.ask<Body>(`/console/api${path}`, ask);
  assertPromised(ask.method ?? (ask.body === undefined ? 'GET' : 'POST'), path, answer);
  return answer;
};

describe('nobody is let in', () => {
  test('without a session, by an API key or by a cookie that is none: 401 everywhere', async () => {
    const key = await service.createKey();
    const token = browser.cookie.slice(cookieName.length + 1);
    const attempts: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { authorization: `Bearer ${token}` },
      { 'x-api-key': token },
      { cookie: `${cookieName}=${key}` },
      { cookie: `${cookieName}=rks_${'a'.repeat(43)}` },
      { cookie: `rk_session_443=${token}` },
    ];
    for (const { id, method, path } of addresses)
      for (const headers of id === 'getSignedIn' || id === 'createKey' ? attempts : attempts.slice(0, 2)) {
        const answer = await service.ask(path, {
          method,
          headers: { 'sec-fetch-site': 'same-origin', ...headers },
        });
        assertProblem(answer, 'unauthorized', `${id} ${JSON.stringify(headers)}`);
      }
    for (const path of ['/console/api/nothing', '/console/api/v1/nothing'])
      assertProblem(await service.ask(path), 'unauthorized', path);
  });

  test('a session opens nothing of /v1', async () => {
    const token = browser.cookie.slice(cookieName.length + 1);
    for (const id of operationIds) {
      const { method } = operations[id];
      const path = operations[id].path.replaceAll(/\{\w+\}/g, 'x');
      const answer = await service.ask(path, { method, headers: { cookie: browser.cookie } });
      assertProblem(answer, 'unauthorized', id);
    }
    assertProblem(await service.ask('/v1/account', { key: token }), 'unauthorized', 'as a key');
  });

  test('the console key has no secret, so nothing can be sent that is it', async () => {
    const [row] = await service.database.rows<{ id: string; public_id: null; secret_sha256: null }>(
      `select id, public_id, secret_sha256 from api_keys where kind = 'console' and account_id = $1`,
      [service.accountId],
    );
    assert.deepEqual([row?.public_id, row?.secret_sha256], [null, null]);
    assertProblem(await service.ask('/v1/account', { key: row?.id }), 'unauthorized', 'its id');
  });
});

describe('what changes anything', () => {
  const foreign: Record<string, string>[] = [
    // A form of another site; a fetch with no-cors; a client without the header; a page with an empty header.
    { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'content-type': 'text/plain' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://renderkit.test' },
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'https://renderkit.test.evil.example' },
    { origin: 'http://renderkit.test' },
    { origin: 'https://renderkit.test:8443' },
    { referer: 'https://renderkit.test/console' },
  ];

  /** Uses node:http, because `fetch` adds headers of its own. */
  const send = async (method: string, path: string, headers: Record<string, string>): Promise<Answer> => {
    const sent = httpRequest(service.url + path, {
      method,
      headers: { ...headers, cookie: browser.cookie },
    }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return {
      status: answer.statusCode ?? 0,
      headers: new Headers(answer.headers as Record<string, string>),
      body: JSON.parse(text) as unknown,
      text,
    };
  };

  test('must come from the console itself: 403 for what another site may have sent', async () => {
    for (const { id, method, path } of addresses.filter((one) => one.method !== 'GET'))
      for (const headers of id === 'endSession' ? foreign : foreign.slice(0, 6))
        assertProblem(await send(method, path, headers), 'forbidden', `${id} ${JSON.stringify(headers)}`);
  });

  test('by the word of the browser, or where it has none, by our own origin', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://renderkit.test' },
    ] as Record<string, string>[])
      assertProblem(
        await send('DELETE', '/console/api/sessions/ses_none', headers),
        'not_found',
        JSON.stringify(headers),
      );
  });

  test('is not done for a page of another account, and neither is anything read', async () => {
    const stranger = await service.connectAccount();
    const asked = [
      ['GET', '/console/api/session'],
      ['POST', '/console/api/v1/projects'],
      ['GET', '/console/api/v1/account'],
    ] as const;
    const ask = (shown: string) =>
      Promise.all(
        asked.map(async ([method, path]) => {
          const headers = { [accountHeader]: shown };
          const answer = await browser.ask(path, {
            method,
            headers,
            ...(method === 'POST' && { body: { title: 'Of the page' } }),
          });
          return [answer.status, answer.body['code']];
        }),
      );
    assert.deepEqual(
      await ask(stranger),
      asked.map(() => [403, 'other_account']),
    );
    assert.deepEqual(
      await ask(service.accountId),
      asked.map(([method]) => [method === 'POST' ? 201 : 200, undefined]),
    );
    const key = await service.createKey();
    const [, path] = asked[2];
    const { status } = await service.ask(path.replace('/console/api', ''), {
      key,
      headers: { [accountHeader]: stranger },
    });
    assert.equal(status, 200, 'to a key the header says nothing');
  });

  test('is never done by a GET', async () => {
    const tables = [
      'sessions',
      'api_keys',
      'webhook_endpoints',
      'deliveries',
      'generations',
      'audit_entries',
    ];
    const counts = () =>
      Promise.all(tables.map((table) => service.database.rows(`select count(*) from ${table}`)));
    const earlier = await counts();
    // Asks for JSON, because a stream of events would not end.
    const headers = { accept: 'application/json' };
    for (const { method, path } of addresses) if (method === 'GET') await browser.ask(path, { headers });
    for (const { method, path } of addresses)
      if (method !== 'GET') assert.ok((await browser.ask(path, { method: 'GET' })).status < 500);
    assert.deepEqual(await counts(), earlier);
  });
});

describe('a session', () => {
  const works = async (by: ConsoleBrowser) => (await by.ask('/console/api/session')).status === 200;

  test('is listed with the others, and ended by any of them', async () => {
    const [one, other] = [await openBrowser(service), await openBrowser(service)];
    const listed = await one.ask<{ data: { id: string; current: boolean; address: string }[] }>(
      '/console/api/sessions',
    );
    assert.deepEqual(
      listed.body.data.slice(0, 2).map(({ id, current }) => [id, current]),
      [
        [other.sessionId, false],
        [one.sessionId, true],
      ],
    );
    const ended = await one.ask(`/console/api/sessions/${other.sessionId}`, { method: 'DELETE' });
    assert.deepEqual(ended.body, { id: other.sessionId, object: 'session', ended: true });
    assert.equal(ended.headers.get('set-cookie'), null);
    assert.deepEqual([await works(one), await works(other)], [true, false]);
    const again = await one.ask(`/console/api/sessions/${other.sessionId}`, { method: 'DELETE' });
    assertProblem(again, 'not_found', 'ended before');
    const own = await one.ask(`/console/api/sessions/${one.sessionId}`, { method: 'DELETE' });
    assert.match(own.headers.get('set-cookie') ?? '', /^__Host-rk_session_443=; Max-Age=0/);
    assert.equal(await works(one), false);
  });

  test('of another account is as unknown as one that never was', async () => {
    const stranger = await openBrowser(service, await service.connectAccount());
    const answer = await stranger.ask(`/console/api/sessions/${browser.sessionId}`, { method: 'DELETE' });
    assertProblem(answer, 'not_found', "another account's");
    assert.ok(await works(browser));
  });

  test('ends after a week in which nobody used it, and after a month at most', async () => {
    const day = 86_400;
    const [used, idle] = [await openBrowser(service), await openBrowser(service)];
    try {
      for (let days = 6; days < 30; days += 6) {
        await moveClock(service.database, days * day);
        assert.ok(await works(used), `after ${days} days`);
      }
      assert.equal(await works(idle), false);
      await moveClock(service.database, 30 * day + 60);
      assert.equal(await works(used), false);
    } finally {
      await moveClock(service.database, 0);
    }
  });

  test('was last seen to the minute, and not written more often', async () => {
    const own = await openBrowser(service);
    const seen = async () => {
      const [row] = await service.database.rows<{ last_seen_at: Date; version: string }>(
        'select last_seen_at, xmin::text as version from sessions where id = $1',
        [own.sessionId],
      );
      return row;
    };
    const first = await seen();
    for (let i = 0; i < 5; i++) assert.ok(await works(own));
    assert.deepEqual(await seen(), first);
    await moveClock(service.database, 90);
    assert.ok(await works(own));
    const second = await seen();
    await moveClock(service.database, 0);
    assert.ok(Number(second?.last_seen_at) - Number(first?.last_seen_at) >= 90_000);
  });

  test('asks six hundred times a minute, and then is told to wait', async () => {
    const [row] = await service.database.rows<{ second: number }>(
      'select extract(second from statement_timestamp())::float8 as second',
    );
    // Move to the middle of a minute, so that no window ends within the test.
    await moveClock(service.database, 30 - (row?.second ?? 0));
    try {
      const own = await openBrowser(service);
      const answers: Answer[] = [];
      for (let i = 0; i < 7; i++)
        answers.push(
          ...(await Promise.all(Array.from({ length: 90 }, () => own.ask('/console/api/sessions')))),
        );
      const refused = answers.filter(({ status }) => status === 429);
      assert.deepEqual([answers.filter(({ status }) => status === 200).length, refused.length], [600, 30]);
      for (const answer of refused) {
        assertProblem(answer, 'rate_limited', 'the 601st');
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
      assert.ok(await works(browser));
    } finally {
      await moveClock(service.database, 0);
    }
  });
});

describe('what a person starts', () => {
  const consoleKey = async () => {
    const [row] = await service.database.rows<{ id: string }>(
      `select id from api_keys where kind = 'console' and account_id = $1`,
      [service.accountId],
    );
    return row?.id;
  };
  const create = (prompt: string, headers: Record<string, string> = {}) =>
    askV1<Generation>('/v1/images/generations', { body: { model: 'plain', prompt }, headers });

  test('runs as anything else does, and is spent under the console key', async () => {
    const made = await create('a calm sea');
    assert.equal(made.status, 202, made.text);
    const waiting = askV1<Generation>(`/v1/generations/${made.body.id}?wait=10`);
    await until('the submit', () => renders.renders.has(made.body.id));
    renders.finish(made.body.id);
    assert.equal((await waiting).body.status, 'succeeded');
    const [spent] = await service.database.rows<{ key_id: string; committed: number }>(
      'select key_id, cost_millicredits as committed from generations where id = $1',
      [made.body.id],
    );
    assert.equal(spent?.key_id, await consoleKey());
    assert.ok((spent?.committed ?? 0) > 0);
    const key = await service.createKey();
    const seen = await service.ask<Generation>(`/v1/generations/${made.body.id}`, { key });
    assert.equal(seen.body.status, 'succeeded');
  });

  test('can be canceled while it waits', async () => {
    const lane = { limit: 1, running: 1, running_elsewhere: 1 };
    renders.limits = { overall: lane, image: lane, edit: lane, video: lane };
    await service.database.rows('update accounts set limits_read_at = null');
    const made = await create('a crowded street');
    const canceled = await askV1<Generation>(`/v1/generations/${made.body.id}/cancel`, { method: 'POST' });
    assert.equal(canceled.status, 200, canceled.text);
    assert.equal(canceled.body.status, 'canceled');
  });

  test('is made once for one Idempotency-Key, whoever of the account sends it', async () => {
    const headers = { 'idempotency-key': 'the same' };
    const made = await create('twice', headers);
    const again = await create('twice', headers);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const byKey = await service.ask<Generation>('/v1/images/generations', {
      key: await service.createKey(),
      headers,
      body: { model: 'plain', prompt: 'twice' },
    });
    assert.deepEqual([again.body.id, byKey.body.id], [made.body.id, made.body.id]);
    assertProblem(await create('something else', headers), 'conflict', 'another request');
  });

  test('is validated as for a key: fields, paths, bodies', async () => {
    const bad = await askV1('/v1/images/generations', { body: { prompt: 'x', colour: 'red' } });
    assertProblem(bad, 'invalid_request', 'an unknown field');
    const form = await askV1('/v1/images/generations', {
      body: 'prompt=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assertProblem(form, 'invalid_request', 'a form');
    assertProblem(await askV1('/v1/generations/gen_none'), 'not_found', 'no such generation');
    assertProblem(await browser.ask('/console/api/v1/nothing'), 'not_found', 'no such route');
    assertProblem(await browser.ask('/console/api/nothing'), 'not_found', 'no such route');
    assertProblem(
      await browser.ask('/console/api/sessions?page=1'),
      'invalid_request',
      'an unknown parameter',
    );
  });

  test('may bring a file', async () => {
    const form = new FormData();
    const pixel = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
      'base64',
    );
    form.append('file', new Blob([pixel], { type: 'image/png' }), 'dot.png');
    const post = (headers: Record<string, string>) =>
      fetch(`${service.url}/console/api/v1/uploads`, {
        method: 'POST',
        body: form,
        headers: { cookie: browser.cookie, ...headers },
      });
    assert.equal((await post({ 'sec-fetch-site': 'cross-site' })).status, 403);
    const answer = await post({ 'sec-fetch-site': 'same-origin' });
    assert.equal(answer.status, 201, await answer.clone().text());
    const { id } = (await answer.json()) as { id: string };
    assert.equal((await askV1(`/v1/uploads/${id}`)).status, 200);
  });
});
