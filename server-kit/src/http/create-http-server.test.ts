import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createHttpServer } from './create-http-server.ts';
import { BodyTooLarge, readBody } from './read-body.ts';
import { sendContinue, mustCloseUnread } from './request-body.ts';

async function lengthOf(request: IncomingMessage, limit: number): Promise<number> {
  let length = 0;
  await readBody(request, { limit, take: (bytes) => void (length += bytes.length) });
  return length;
}

let requests = 0;
const app = createHttpServer({
  presentError: (httpError, requestId) => ({
    status: {
      malformed: 400,
      headers_too_large: 400,
      too_slow: 400,
      media_type: 400,
      not_found: 404,
      unexpected: 500,
    }[httpError.reason],
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify({ reason: httpError.reason, detail: httpError.detail, request_id: requestId }),
  }),
  newRequestId: () => `req_${++requests}`,
  headersTimeoutMs: 300,
  requestTimeoutMs: 600,
  connectionsCheckingIntervalMs: 50,
});
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', (_request, _payload, done) => done(null));
app.get('/hello', (_request, reply) => reply.send('hello'));
app.get('/broken', () => Promise.reject(new Error('a secret of ours')));
app.post('/refused', (request, reply) => {
  if (mustCloseUnread(request.raw)) reply.header('connection', 'close');
  return reply.code(401).send('no');
});
app.post('/read', async (request, reply) => {
  try {
    sendContinue(request.raw, reply.raw);
    return `${await lengthOf(request.raw, 1_000_000)} bytes`;
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    if (mustCloseUnread(request.raw)) reply.header('connection', 'close');
    return reply.code(400).send('too large');
  }
});

describe('the HTTP server', () => {
  let port = 0;
  before(async () => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    port = (app.server.address() as AddressInfo).port;
  });
  after(() => app.close());

  /** Sends bytes and returns everything that arrives until the connection ends or `ms` have passed. */
  async function exchange(bytes: string, ms = 2_000): Promise<{ text: string; closed: boolean }> {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let closed = false;
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
    socket.write(bytes, 'latin1');
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on('end', () => (closed = true));
    await new Promise((resolve) => socket.on('close', resolve));
    clearTimeout(timer);
    return { text, closed };
  }

  async function assertMalformed(bytes: string, reason = 'malformed') {
    const { text, closed } = await exchange(bytes);
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/, JSON.stringify(bytes.slice(0, 80)));
    assert.match(text, /content-type: application\/problem\+json/i);
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Record<string, string>;
    assert.equal(body['reason'], reason);
    assert.equal(/x-request-id: (\S+)/i.exec(text)?.[1], body['request_id']);
    assert.ok(closed);
  }

  test('what is no HTTP is answered with a problem and the connection ends', async () => {
    const body = '\r\n\r\nabc';
    for (const bytes of [
      'hello\r\n\r\n',
      'GET /hello HTTP/9.9\r\nHost: a\r\n\r\n',
      `POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked${body}`,
      `POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4${body}`,
      `POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: -3${body}`,
      'GET /hello HTTP/1.1\r\nHost: a\r\nX-A: b\r\n  folded: c\r\nX B: c\r\n\r\n',
      'GET /hello HTTP/1.1\nHost: a\n\n',
      'GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n',
      'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET /hello HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n',
    ])
      await assertMalformed(bytes);
  });

  test('headers that are too large or too many are refused', async () => {
    await assertMalformed(
      `GET /hello HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`,
      'headers_too_large',
    );
    const head = 'GET /hello HTTP/1.1\r\nConnection: close\r\nHost: a\r\n';
    await assertMalformed(`${head}${'X-A: b\r\n'.repeat(99)}\r\n`, 'headers_too_large');
    assert.match((await exchange(`${head}${'X-A: b\r\n'.repeat(98)}\r\n`)).text, /^HTTP\/1\.1 200 /);
  });

  test('a path that is no path is refused, an unknown one is not found', async () => {
    for (const path of ['/%', '/hello/%zz', '/%ff', '/%ED%A0%80'])
      await assertMalformed(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    for (const method of ['POST', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']) {
      const { text } = await exchange(`${method} /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      assert.match(text, /^HTTP\/1\.1 404 /, method);
      assert.match(text, /x-request-id: req_/);
    }
  });

  test("a client's own request id is not adopted, an error reveals nothing of itself", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/broken`, { headers: { 'x-request-id': 'mine' } });
    const text = await answer.text();
    assert.equal(answer.status, 500);
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_\d+$/);
    assert.doesNotMatch(text, /secret/);
  });

  test('a Content-Type that is none does not reach the route', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/read`, {
      method: 'POST',
      headers: { 'content-type': ';' },
      body: 'x',
    });
    assert.equal(answer.status, 400);
  });

  test('a body that nobody read: small ones are drained, for large ones the connection ends', async () => {
    const post = (length: number) =>
      `POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(Math.min(length, 200_000))}`;
    const small = await exchange(post(1_000) + post(1_000), 200);
    assert.equal(small.text.match(/HTTP\/1\.1 401 /g)?.length, 2);
    assert.ok(!small.closed);
    const large = await exchange(post(1_000_000_000));
    assert.match(large.text, /^HTTP\/1\.1 401 [^]*connection: close/i);
    assert.ok(large.closed);
    const chunked = await exchange(
      'POST /refused HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    );
    assert.match(chunked.text, /^HTTP\/1\.1 401 /);
    assert.ok(chunked.closed);
  });

  test('a client that goes on sending a refused body cannot make us read it', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n');
    const chunk = Buffer.alloc(64 * 1024);
    const flood = (to: Socket) => {
      while (!to.destroyed && to.writableLength < 1_000_000) to.write(chunk);
    };
    socket.on('drain', () => flood(socket));
    flood(socket);
    await new Promise((resolve) => socket.on('close', resolve));
    // The kernel buffers some bytes on both sides; the server cannot prevent that.
    assert.ok(socket.bytesWritten < 30_000_000, `${socket.bytesWritten} bytes were taken`);
  });

  test('bodies are read up to the limit of the route', async () => {
    const url = `http://127.0.0.1:${port}/read`;
    const post = async (body: string | ReadableStream) =>
      (await fetch(url, { method: 'POST', body, duplex: 'half' })).text();
    assert.equal(await post('a'.repeat(1_000_000)), '1000000 bytes');
    assert.equal(await post('a'.repeat(1_000_001)), 'too large');
    const stream = (chunks: number) =>
      ReadableStream.from(Array.from({ length: chunks }, () => Buffer.alloc(100_000)));
    assert.equal(await post(stream(10)), '1000000 bytes');
    assert.equal(await post(stream(11)), 'too large');
  });

  test('"100 Continue" comes only when the body is wanted', async () => {
    const post = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc`;
    assert.match((await exchange(post('/read'))).text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    assert.match((await exchange(post('/refused'))).text, /^HTTP\/1\.1 401 /);
  });

  test('closing waits for the answers under way and not for idle connections', async () => {
    const own = createHttpServer({
      presentError: () => ({ status: 500, headers: {}, body: '' }),
      newRequestId: () => 'req',
    });
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    own.get('/slow', async () => {
      onAsked();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return 'done';
    });
    await own.listen({ port: 0, host: '127.0.0.1' });
    const answer = fetch(`http://127.0.0.1:${(own.server.address() as AddressInfo).port}/slow`);
    await asked;
    const began = performance.now();
    await own.close();
    assert.ok(performance.now() - began < 1_000);
    assert.equal(await (await answer).text(), 'done');
  });

  test(
    'closing waits for no connection that was opened in advance and sent nothing',
    { timeout: 10_000 },
    async (t) => {
      const own = createHttpServer({
        presentError: () => ({ status: 500, headers: {}, body: '' }),
        newRequestId: () => 'req',
      });
      await own.listen({ port: 0, host: '127.0.0.1' });
      const accepted = once(own.server, 'connection');
      const unused = connect((own.server.address() as AddressInfo).port, '127.0.0.1');
      t.after(() => unused.destroy());
      const ended = once(unused.resume(), 'end');
      await accepted;
      // The server ends the connection; the client would keep it open.
      await own.close();
      await ended;
    },
  );

  for (const { what, answered } of [
    { what: 'has sent half a head', answered: '' },
    { what: 'sends half a head after a request', answered: 'GET /hello HTTP/1.1\r\nHost: a\r\n\r\n' },
  ])
    test(`closing waits for no connection that ${what}`, { timeout: 10_000 }, async (t) => {
      const own = createHttpServer({
        presentError: () => ({ status: 500, headers: {}, body: '' }),
        newRequestId: () => 'req',
        // Longer than the test waits.
        headersTimeoutMs: 60_000,
      });
      own.get('/hello', async () => 'hello');
      await own.listen({ port: 0, host: '127.0.0.1' });
      const accepted = once(own.server, 'connection') as Promise<Socket[]>;
      const half = connect((own.server.address() as AddressInfo).port, '127.0.0.1');
      t.after(() => half.destroy());
      const [server] = await accepted;
      const sent = `${answered}GET /hello HTTP/1.1\r\nHo`;
      const came = answered === '' ? undefined : once(half, 'data');
      half.write(sent);
      await came;
      while (server?.bytesRead !== sent.length) await new Promise((resolve) => setTimeout(resolve, 5));
      const ended = once(half.resume(), 'end');
      await own.close();
      await ended;
    });

  test('who sends headers or a body too slowly is cut off, and others are served meanwhile', async () => {
    const slow = Array.from({ length: 100 }, () => exchange('GET /hello HTTP/1.1\r\nHost: a\r\nX-A', 5_000));
    const slowBody = exchange('POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc', 5_000);
    let cutOff = 0;
    for (const one of [...slow, slowBody]) void one.then(() => cutOff++);
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/hello`)).text(), 'hello');
    assert.equal(cutOff, 0);
    for (const { text, closed } of await Promise.all([...slow, slowBody])) {
      assert.match(text, /^HTTP\/1\.1 400 [^]*too_slow/);
      assert.ok(closed);
    }
  });

  test('a connection that was opened in advance and sent nothing ends without an answer', async () => {
    const kept = 'GET /hello HTTP/1.1\r\nHost: a\r\n\r\n';
    const [unused, used] = await Promise.all([exchange('', 5_000), exchange(kept, 1_500)]);
    assert.deepEqual(unused, { text: '', closed: true });
    assert.equal(
      used.text.match(/HTTP\/1\.1/g)?.length,
      1,
      'nor does one that waits for its next request get any',
    );
  });
});
