import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import type { Operation } from '@renderkit/contract/v1/operation.ts';
import { operationIds, operations } from '@renderkit/contract/v1/operations.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { malformedHeads, malformedPaths } from '@renderkit/server-kit/testing/malformed-requests.ts';
import { exchange, firstAnswer } from '@renderkit/server-kit/testing/raw-http.ts';
import { assertProblem } from './assert-problem.ts';
import { type ConsoleBrowser, openBrowser } from './console-session.ts';
import { type Answer, startTestService, type TestService } from './harness.ts';

let service: TestService;
let key: string;
let browser: ConsoleBrowser;
before(async () => {
  service = await startTestService();
  key = await service.createKey();
  browser = await openBrowser(service);
});
after(() => service[Symbol.asyncDispose]());

/** Sends bytes and returns the first answer in the form of fetch. */
async function send(bytes: string): Promise<Answer & { closed: boolean }> {
  const got = await exchange(service.url, bytes);
  const answer = firstAnswer(got);
  assert.ok(answer, `no answer to ${JSON.stringify(bytes.slice(0, 200))}: ${got.text.slice(0, 200)}`);
  const { status, body: text } = answer;
  const headers = new Headers(answer.headers);
  const isJson = headers.get('content-type')?.includes('json') === true && text !== '';
  return { status, headers, text, body: isJson ? JSON.parse(text) : text, closed: got.closed };
}

describe('a head that could be read in two ways', () => {
  for (const path of ['/v1/generations', '/healthz', '/console/api/session'])
    test(`is refused and ends the connection: ${path}`, async () => {
      for (const [what, head] of Object.entries(malformedHeads(path))) {
        const answer = await send(head);
        assertProblem(answer, 'invalid_request', what);
        assert.equal(answer.headers.get('connection'), 'close', what);
        assert.ok(answer.closed, what);
      }
    });

  test('ends what was sent behind it, too', async () => {
    const create = '{"prompt":"x"}';
    const behind =
      `POST /v1/images/generations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${create.length}\r\n\r\n${create}`;
    const earlier = await service.ask('/v1/generations', { key });
    const { text } = await exchange(
      service.url,
      `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${behind}`,
    );
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
    const afterwards = await service.ask('/v1/generations', { key });
    assert.deepEqual(afterwards.body['data'], earlier.body['data']);
  });

  test('is none where the Host is a name or an address, with a port or without', async () => {
    for (const host of ['a', 'A.example.', 'my_host-1:65535', '127.0.0.1:80', '[::1]', '[::1]:8787', 'a:'])
      assert.equal(
        (await send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status,
        200,
        host,
      );
    assert.equal((await send('GET /healthz HTTP/1.0\r\n\r\n')).status, 200);
    const chunked =
      `POST /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      'Transfer-Encoding: CHUNKED\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
    assert.equal((await send(chunked)).status, 201);
  });

  test('is none where the target is a whole address: its path counts', async () => {
    const ask = (target: string) =>
      send(`GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`);
    assert.equal((await ask('http://b.example:80/v1/generations?limit=1')).status, 200);
    assert.equal((await ask('HTTP://b.example')).status, 200);
    assert.equal((await ask('http://b.example?x')).status, 200);
  });
});

describe('whatever is wrong', () => {
  test('with a path, the answer is a problem', async () => {
    for (const prefix of ['', '/v1', '/v1/models', '/console', '/console/api', '/console/assets', '/docs'])
      for (const path of malformedPaths(prefix)) {
        const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;
        assertProblem(await send(head), 'invalid_request', path);
      }
  });

  test('OPTIONS of the server finds nothing', async () => {
    assertProblem(await send('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), 'not_found', '*');
  });
});

describe('HEAD', () => {
  const headersOf = (answer: Answer) =>
    Object.fromEntries(
      [
        'content-type',
        'content-length',
        'cache-control',
        'x-ratelimit-limit',
        'location',
        'content-security-policy',
      ].map((name) => [name, answer.headers.get(name)?.replace(/'nonce-[^']+'/, '')]),
    );
  const assertLikeGet = async (ask: (method: string) => Promise<Answer>, path: string) => {
    const got = await ask('GET');
    const head = await ask('HEAD');
    assert.equal(head.text, '', path);
    assert.equal(head.status, got.status, path);
    assert.deepEqual(headersOf(head), headersOf(got), path);
    assert.match(head.headers.get('x-request-id') ?? '', /^req_/);
  };

  test('is answered as GET without its body, and counts as one request', async () => {
    const generation = await service.addGeneration();
    const params: Record<string, string> = { id: 'lib_1', type: 'image' };
    for (const id of operationIds) {
      const operation: Operation = operations[id];
      if (operation.method !== 'GET') continue;
      params['id'] = id === 'getGeneration' ? generation : id === 'getModel' ? 'plain' : 'lib_1';
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
      // Asks for JSON, because a stream of events would not end.
      const headers = { accept: 'application/json' };
      await assertLikeGet((method) => service.ask(path, { key, method, headers }), path);
    }
    const counted = await service.createKey({ rateLimitPerMinute: 1_000 });
    const first = await service.ask('/v1/generations', { key: counted });
    const head = await service.ask('/v1/generations', { key: counted, method: 'HEAD' });
    const remaining = [first, head].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    // A new minute may begin between the two.
    assert.ok(remaining[0] === (remaining[1] ?? 0) + 1 || remaining[1] === 999, String(remaining));
  });

  test('is refused as GET is', async () => {
    for (const [path, asked] of [
      ['/v1/generations', {}],
      ['/v1/generations?limit=0', { key }],
      ['/v1/generations/gen_none', { key }],
      ['/v1/nothing', { key }],
      ['/healthz/nothing', {}],
    ] as const)
      await assertLikeGet((method) => service.ask(path, { ...asked, method }), path);
  });

  test('is answered beside the API', async () => {
    for (const path of [
      '/',
      '/docs',
      '/docs/errors',
      '/docs/webhooks',
      '/docs/sandbox',
      '/openapi.json',
      '/healthz',
      '/console',
    ])
      await assertLikeGet((method) => service.ask(path, { method }), path);
    assert.equal((await service.ask('/readyz', { method: 'HEAD' })).status, 200);
    const session = '/console/api/session';
    await assertLikeGet((method) => browser.ask(session, { method }), session);
  });

  test('does not wait for what only a body would tell', async () => {
    // Nothing is dispatched while the account pauses.
    await service.database.rows(`update accounts set dispatch_after = clock() + interval '1 hour'`);
    const made = await service.ask<{ id: string }>('/v1/images/generations', { key, body: { prompt: 'x' } });
    const { id } = made.body;
    const began = performance.now();
    const { status } = await service.ask(`/v1/generations/${id}?wait=60`, { key, method: 'HEAD' });
    assert.equal(status, 200);
    assert.ok(performance.now() - began < 30_000);
    assertProblemHead(await service.ask(`/v1/generations/${id}?wait=61`, { key, method: 'HEAD' }), 400);
  });

  test('of an address that does something is not found', async () => {
    for (const path of [consoleAddresses.signIn, consoleAddresses.callback])
      assertProblemHead(await service.ask(path, { method: 'HEAD' }), 404);
  });
});

function assertProblemHead(answer: Answer, status: number): void {
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [status, 'application/problem+json']);
}

describe('a method that a path does not have', () => {
  const detailOf = (answer: Answer) => (answer.body as Problem).detail;

  test('is told with those that it has, to whoever has a key', async () => {
    for (const [method, path, detail] of [
      ['PUT', '/v1/projects/prj_1', 'There is no PUT here; this path has GET, PATCH and DELETE.'],
      ['DELETE', '/v1/account', 'There is no DELETE here; this path has GET.'],
      ['PUT', '/v1/%61ccount', 'There is no PUT here; this path has GET.'],
      ['GET', '/v1/images/generations', 'There is no GET here; this path has POST.'],
      ['PATCH', '/v1/projects?page=1', 'There is no PATCH here; this path has GET and POST.'],
      ['PUT', '/v1/assets/images/lib_1', 'There is no PUT here; this path has GET.'],
      ['PUT', '/v1/assets/video/lib_1', 'There is no PUT here; this path has PATCH and DELETE.'],
      ['OPTIONS', '/v1/estimate', 'There is no OPTIONS here; this path has POST.'],
      ['PUT', '/v1/nothing', 'There is no such route.'],
      ['PUT', '/v1/projects/', 'There is no such route.'],
    ] as const) {
      const answer = await service.ask(path, { key, method });
      assertProblem(answer, 'not_found', path);
      assert.equal(detailOf(answer), detail);
      assertProblem(await service.ask(path, { method }), 'unauthorized', path);
    }
    assertProblemHead(await service.ask('/v1/estimate', { key, method: 'HEAD' }), 404);
  });

  test('is told to whoever is signed in to the console, and to nobody else', async () => {
    for (const [method, path, detail] of [
      ['PUT', '/console/api/session', /^There is no PUT here; this path has GET/],
      ['PUT', '/console/api/v1/account', /^There is no PUT here; this path has GET\.$/],
      ['PUT', '/console/api/nothing', /^There is no such route\.$/],
    ] as const) {
      const answer = await browser.ask(path, { method });
      assertProblem(answer, 'not_found', path);
      assert.match(detailOf(answer), detail);
      assertProblem(await service.ask(path, { method }), 'unauthorized', path);
    }
  });

  test('that no route has tells strangers nothing either', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'SEARCH', 'QUERY', 'LOCK'])
      for (const path of ['/v1/account', '/v1/nothing', '/console/api/session', '/console/api/nothing']) {
        const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
        assertProblem(await send(`${head}\r\n`), 'unauthorized', `${method} ${path}`);
        if (path !== '/v1/account') continue;
        const answer = await send(`${head}Authorization: Bearer ${key}\r\n\r\n`);
        assert.equal(detailOf(answer), `There is no ${method} here; this path has GET.`);
      }
  });

  test('is told beside the API too', async () => {
    for (const [path, detail] of [
      ['/healthz', 'There is no POST here; this path has GET.'],
      ['/openapi.json', 'There is no POST here; this path has GET.'],
      ['/console/keys', 'There is no POST here; this path has GET.'],
      [consoleAddresses.signIn, 'There is no POST here; this path has GET.'],
      ['/nothing', 'There is nothing at this address.'],
    ] as const) {
      const answer = await service.ask(path, { method: 'POST' });
      assertProblem(answer, 'not_found', path);
      assert.equal(detailOf(answer), detail);
    }
  });
});

test('a large body that is refused in its middle leaves the connection and the answer whole', async () => {
  const body = `{"prompt":"${'x'.repeat(2_000_000)}"}`;
  const head = (length: number) =>
    `POST /v1/images/edits HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('error', () => undefined);
  // A client that sends everything before it reads.
  socket.pause();
  await new Promise((resolve) => socket.write(head(body.length) + body, resolve));
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).resume();
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await new Promise((resolve) => socket.on('close', resolve));
  assert.match(text, /^HTTP\/1\.1 400 [^]*prompt: must be at most 4096 characters[^]*HTTP\/1\.1 200 /);
});
