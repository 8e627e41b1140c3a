import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Renderkit, { RenderkitError } from './renderkit.ts';
import { Transport, type TransportOptions } from './transport.ts';

type Seen = { method: string; url: string; key: string | undefined; type: string | undefined; body: string };
type Step = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server that answers each request with the next step, and records the requests. */
async function serve(steps: Step[]): Promise<AsyncDisposable & { url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await Array.fromAsync(request as AsyncIterable<Buffer>)).join('');
    const key = request.headers['idempotency-key'];
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      key: Array.isArray(key) ? key[0] : key,
      type: request.headers['content-type'],
      body,
    });
    const step = steps.shift();
    if (step === undefined) response.writeHead(500).end();
    else step(request, response);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const json = (status: number, body: object, headers: Record<string, string> = {}): Step => {
  return (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
};
const cutOff: Step = (request) => void request.socket.destroy();
const at = (url: string, more: object = {}) => new Renderkit({ baseUrl: url, apiKey: 'rk_live_x', ...more });
const balance = { object: 'balance', balance: 5 };
const queued = { id: 'gen_1', object: 'generation', status: 'queued', outputs: [] };

test('a create that was cut off is sent again under the same key, and one that the user gave is kept', async () => {
  await using server = await serve([cutOff, json(503, {}, { 'retry-after': '0' }), json(202, queued)]);
  const client = at(server.url);
  assert.equal((await client.images.create({ prompt: 'a' })).id, 'gen_1');
  assert.equal(server.seen.length, 3);
  const keys = new Set(server.seen.map(({ key }) => key));
  assert.equal(keys.size, 1);
  assert.match([...keys][0] ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(new Set(server.seen.map(({ body }) => body)).size, 1);
});

test('what would do something twice is not sent again, unless it was refused for its rate', async () => {
  await using server = await serve([cutOff, json(429, {}, { 'retry-after': '0' }), json(201, { id: 'prj' })]);
  const client = at(server.url);
  await assert.rejects(client.projects.create(), (error) => {
    assert.ok(RenderkitError.is(error));
    assert.equal(error.code, 'connection_failed');
    return true;
  });
  assert.equal(server.seen.length, 1);
  assert.equal((await client.projects.create()).id, 'prj');
  assert.equal(server.seen.length, 3);
});

test('a longer pause than a minute is told and not waited for', async () => {
  await using server = await serve([json(429, {}, { 'retry-after': '61' })]);
  await assert.rejects(at(server.url).account.balance(), { code: 'rate_limited', retryAfter: 61 });
  assert.equal(server.seen.length, 1);
});

test('a page of a proxy becomes an error by its status, and no error says undefined', async () => {
  const page: Step = (_request, response) => void response.writeHead(502).end('<html>Bad Gateway</html>');
  await using server = await serve([page]);
  await assert.rejects(at(server.url, { maxRetries: 0 }).account.balance(), (error) => {
    assert.ok(RenderkitError.is(error));
    assert.deepEqual([error.code, error.status, error.retryable], ['upstream_error', 502, true]);
    assert.doesNotMatch(error.message, /undefined/);
    return true;
  });
});

test('a redirect is not followed with the key: the error says where to', async () => {
  await using server = await serve([
    (_request, response) => void response.writeHead(301, { location: 'https://elsewhere.test/v1' }).end(),
  ]);
  await assert.rejects(
    at(server.url).account.balance(),
    /https:\/\/elsewhere\.test\/v1: use that as baseUrl/,
  );
});

test('a server that does not answer in time is given up, and one that nobody listens at too', async () => {
  await using server = await serve([() => undefined]);
  await assert.rejects(at(server.url, { timeout: 50, maxRetries: 0 }).account.balance(), {
    code: 'connection_failed',
    retryable: true,
  });
  await assert.rejects(at('http://127.0.0.1:1', { maxRetries: 0 }).account.balance(), {
    code: 'connection_failed',
  });
});

test('the signal ends a request that waits for its next try', async () => {
  await using server = await serve([json(503, {}, { 'retry-after': '30' })]);
  const controller = new AbortController();
  const client = at(server.url, { onResponse: () => setImmediate(() => controller.abort('enough')) });
  await assert.rejects(client.account.balance({ signal: controller.signal }), {
    code: 'aborted',
    cause: 'enough',
  });
});

test('paths are put behind the address, whatever its end, and a path of its own is kept', async () => {
  await using server = await serve([json(200, balance), json(200, balance), json(200, balance)]);
  for (const end of ['', '/', '/v1/']) await at(`${server.url}/renderkit${end}`).account.balance();
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    Array.from({ length: 3 }, () => '/renderkit/v1/account/balance'),
  );
});

test('what is left out of the client is said in a sentence', () => {
  assert.throws(() => new Renderkit({ baseUrl: 'http://127.0.0.1' }), /RENDERKIT_API_KEY/);
  assert.throws(() => new Renderkit({ apiKey: 'rk_live_x' }), /RENDERKIT_BASE_URL/);
  assert.throws(
    () => new Renderkit({ apiKey: 'rk_live_x', baseUrl: 'render.kit' }),
    /http:\/\/ or https:\/\//,
  );
});

test('a stream that is cut off is taken up again, and its preview can be fetched', async () => {
  const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const streamed = { 'content-type': 'text/event-stream' };
  await using server = await serve([
    (_request, response) => {
      response.writeHead(200, streamed).write(event('generation', queued));
      response.write(event('preview', { index: 0, url: '/v1/generations/gen_1/previews/0?r=5' }), () =>
        response.destroy(),
      );
    },
    (_request, response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end('bytes'),
    (_request, response) =>
      void response
        .writeHead(200, streamed)
        .end(`: hello\r\n\r\n${event('done', { ...queued, status: 'succeeded' })}`),
  ]);
  const types: string[] = [];
  for await (const happened of at(server.url).generations.stream('gen_1')) {
    types.push(happened.type);
    if (happened.type !== 'preview') continue;
    assert.equal(await (await happened.preview.fetch()).text(), 'bytes');
  }
  assert.deepEqual(types, ['generation', 'preview', 'done']);
  assert.equal(server.seen[1]?.url, '/v1/generations/gen_1/previews/0?r=5');
});

test('a server without streams is asked by long polls, and told apart from a generation that is not there', async () => {
  const notFound = json(404, { code: 'not_found', detail: 'There is no such route.' });
  await using server = await serve([
    notFound,
    json(200, { ...queued, status: 'running' }),
    json(200, { ...queued, status: 'succeeded', outputs: [{ id: 'out_1' }] }),
    notFound,
  ]);
  const client = at(server.url);
  assert.equal((await client.generations.wait('gen_1')).outputs[0].id, 'out_1');
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    [
      '/v1/generations/gen_1/events?preview=none',
      '/v1/generations/gen_1?wait=0',
      '/v1/generations/gen_1?wait=50',
    ],
  );
  await assert.rejects(client.generations.wait('gen_2'), { code: 'not_found' });
  assert.equal(server.seen[3]?.url, '/v1/generations/gen_2?wait=0', 'streams are not tried again');
});

test('a service that goes away while somebody waits is waited for, and one that was never there is told at once', async () => {
  const notFound = json(404, { code: 'not_found', detail: 'There is no such route.' });
  const running = json(200, { ...queued, status: 'running' });
  const done = json(200, { ...queued, status: 'succeeded', outputs: [{ id: 'out_1' }] });
  await using server = await serve([notFound, running, json(503, {}), cutOff, done, json(503, {})]);
  const client = at(server.url, { maxRetries: 0 });
  assert.equal((await client.generations.wait('gen_1')).outputs[0].id, 'out_1');
  await assert.rejects(client.generations.wait('gen_2'), { code: 'upstream_unavailable' });
});

test('a generation that is not there says nothing of streams', async () => {
  const notFound = json(404, { code: 'not_found', detail: 'There is no such generation.' });
  await using server = await serve([notFound, notFound, json(401, { code: 'unauthorized', detail: 'No.' })]);
  const client = at(server.url);
  await assert.rejects(client.generations.wait('gen_0'), { code: 'not_found' });
  await assert.rejects(client.generations.wait('gen_1'), { code: 'unauthorized' });
  assert.equal(server.seen[2]?.url, '/v1/generations/gen_1/events?preview=none', 'a stream is tried again');
});

test('what ends the waiting after a create was accepted names the generation and its key, and is not to be repeated', async () => {
  const busy = json(429, { code: 'rate_limited', detail: 'Too many.' }, { 'retry-after': '61' });
  const notFound = json(404, { code: 'not_found', detail: 'There is no such route.' });
  const steps = () => [json(202, queued), cutOff, cutOff, json(202, queued), notFound, busy];
  await using server = await serve([...steps(), ...steps()]);
  const client = at(server.url, { maxRetries: 0 });
  for (const own of [undefined, 'key-of-mine'])
    for (const code of ['connection_failed', 'rate_limited'])
      await assert.rejects(client.images.run({ prompt: 'a' }, { idempotencyKey: own }), (error) => {
        assert.ok(RenderkitError.is(error));
        const sent = server.seen.findLast(({ method }) => method === 'POST')?.key;
        assert.deepEqual(
          [error.code, error.generationId, error.idempotencyKey, error.retryable],
          [code, 'gen_1', own ?? sent, own !== undefined],
        );
        return true;
      });
});

test('patience without end, or longer than a timer may be, is no patience of a millisecond', async () => {
  const later: Step = (_request, response) =>
    void setTimeout(() => response.writeHead(404).end(JSON.stringify({ code: 'not_found', detail: '' })), 50);
  const done = json(200, { ...queued, status: 'succeeded', outputs: [{ id: 'out_1' }] });
  await using server = await serve([later, done, done]);
  const client = at(server.url, { timeout: Infinity });
  for (const timeout of [Infinity, 25 * 86_400_000])
    assert.equal((await client.generations.wait('gen_1', { timeout })).id, 'gen_1');
});

test('the bytes of an output are asked for again, without the key, and what stays away is an error of ours', async () => {
  const away = json(503, {}, { 'retry-after': '0' });
  let authorization: string | undefined = 'none was asked for';
  const bytes: Step = (request, response) => {
    authorization = request.headers.authorization;
    response.writeHead(200).end('bytes');
  };
  await using server = await serve([away, cutOff, bytes, away, json(404, {}), cutOff]);
  const output = { url: `${server.url}/files/out_1` };
  assert.equal(await (await at(server.url).fetchOutput(output)).text(), 'bytes');
  assert.equal(authorization, undefined);
  const impatient = at(server.url, { maxRetries: 0 });
  await assert.rejects(impatient.fetchOutput(output), {
    code: 'connection_failed',
    status: 503,
    retryable: true,
  });
  await assert.rejects(impatient.fetchOutput(output), { code: 'not_found', status: 404, retryable: false });
  await assert.rejects(impatient.fetchOutput(output), { code: 'connection_failed', status: undefined });
});

test('a file is sent as it is, by any method', async () => {
  await using server = await serve([json(200, {})]);
  await at(server.url).request({ method: 'PUT', path: '/v1/things', body: new Blob(['as it is']) });
  const [request] = server.seen;
  assert.deepEqual(
    [request?.method, request?.type, request?.body],
    ['PUT', 'application/octet-stream', 'as it is'],
  );
});

test('abort ends the waiting, and cancels where that was asked for', async () => {
  await using server = await serve([
    json(404, { code: 'not_found', detail: 'There is no such route.' }),
    // The signal aborts the poll before the poll is sent.
    json(200, { ...queued, status: 'canceled' }),
  ]);
  const controller = new AbortController();
  const waiting = at(server.url, {
    onRequest: ({ url }: { url: string }) => void (url.includes('wait=') && controller.abort()),
  }).generations.wait('gen_1', { signal: controller.signal, cancelOnAbort: true });
  await assert.rejects(waiting, { code: 'aborted', generationId: 'gen_1' });
  assert.equal(server.seen.at(-1)?.url, '/v1/generations/gen_1/cancel');
});

test('a path that would lead to another host is refused, for the key would go there', async () => {
  await using server = await serve([]);
  for (const path of ['@example.org/v1', '.example.org/v1', '1/v1', 'v1/things', ''])
    await assert.rejects(at(server.url).request({ method: 'GET', path }), { code: 'invalid_request' }, path);
  assert.equal(server.seen.length, 0);
});

test('an id that would lead to another path is refused before anything is asked', async () => {
  await using server = await serve([]);
  const client = at(server.url);
  const refused = { code: 'invalid_request', retryable: false };
  for (const id of ['.', '..']) {
    await assert.rejects(async () => client.assets.retrieveImage(id), refused, id);
    await assert.rejects(async () => client.uploads.delete(id), refused, id);
    await assert.rejects(async () => client.generations.cancel(id), refused, id);
    await assert.rejects(async () => client.generations.wait(id), refused, id);
  }
  assert.deepEqual(server.seen, []);
  const transport = new Transport({ baseUrl: server.url } as TransportOptions);
  const paths = ['/v1/assets/image/..', '/v1/%2e%2E/x', '/v1/.%2e', '/v1/x\\..\\y', '/v1/./x?a=b'];
  // Characters that URL parsers remove, inside a path and at its end.
  const unread = ['\t', '\n', '\r']
    .map((one) => `/v1/x/.${one}./y`)
    .concat('/v1/x/.. ', '/v1/x/..\u0001\u001f');
  for (const path of [...paths, ...unread])
    assert.throws(() => transport.addressOf(path), refused, JSON.stringify(path));
});

test('points and slashes in an id stay in it', async () => {
  await using server = await serve([json(200, balance), json(200, balance)]);
  const client = at(server.url);
  await client.uploads.retrieve('a..b...');
  await client.models.retrieve('a/../b');
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ['/v1/uploads/a..b...', '/v1/models/a%2F..%2Fb'],
  );
});
