import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { portOf, startLoopbackServer } from '@renderkit/egress/testing/loopback-server.ts';
import { Client } from 'undici';
import { readObject, refusalOf } from './backend-answer.ts';
import { createBackendHttp } from './backend-http.ts';
import { createDownloads } from './download.ts';
import { EngineFailure, type BackendAccess } from './driver.ts';
import { exchange } from './http-exchange.ts';
import { multipartBody } from './multipart.ts';

const folder = mkdtempSync(join(tmpdir(), 'backend-http-'));
after(() => rm(folder, { recursive: true }));
const signal = AbortSignal.timeout(60_000);
const secret = 'sk-very-secret';

function access(url: string, more: Partial<BackendAccess> = {}): BackendAccess {
  return { name: 'gpu1', url, headers: {}, secret, egressAllow: [], ...more };
}

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const failure = (more: Partial<EngineFailure>) => (error: unknown) => {
  assert.ok(error instanceof EngineFailure, String(error));
  for (const [key, value] of Object.entries(more)) {
    assert.equal(error[key as keyof EngineFailure], value, `${key} of "${error.message}"`);
  }
  return true;
};

test('a connection that is not taken leaves nothing behind, one that breaks may have', async () => {
  let url = '';
  {
    await using gone = await startLoopbackServer();
    url = gone.url;
  }
  await using away = createBackendHttp(access(url));
  await assert.rejects(
    away.begin({ method: 'POST', to: '/jobs', json: {}, signal }),
    failure({ sent: 'no', blame: 'backend', code: 'engine_unavailable' }),
  );
  await using breaking = await startLoopbackServer({ onRequest: (_head, socket) => socket.destroy() });
  await using http = createBackendHttp(access(breaking.url));
  const { answer } = await http.begin({ method: 'POST', to: '/jobs', json: {}, signal });
  await assert.rejects(answer, failure({ sent: 'unknown', blame: 'backend' }));
  assert.equal(breaking.connections, 1);
});

test('silence ends a call, and a signal ends it with its reason', async () => {
  await using silent = await startLoopbackServer();
  await using http = createBackendHttp(access(silent.url));
  await assert.rejects(http.send({ to: '/', answerMs: 30, signal }), failure({ sent: 'unknown' }));
  const stop = new AbortController();
  const call = http.send({ to: '/', signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(call, { message: 'enough' });
});

test('an answer that drips is given up after its time, and one that comes in plenty is not', async () => {
  await using server = await serve((request, response) => {
    const bytes = Buffer.alloc(request.url === '/plenty' ? 8 * 1024 : 1, 'x');
    response.writeHead(request.url === '/error' ? 500 : 200);
    let parts = 0;
    const timer = setInterval(() => {
      response.write(bytes);
      parts += 1;
      if (request.url === '/plenty' && parts === 75) response.end();
    }, 20);
    response.once('close', () => clearInterval(timer));
  });
  await using http = createBackendHttp(access(server.url));
  // Long enough for a busy machine to begin its answer.
  const limits = { answerMs: 1_000, totalMs: 50, signal };
  const gone = failure({ sent: 'unknown', code: 'engine_unavailable' });
  // `onBody` does not receive the body of an error, so `totalMs` limits that body too.
  const onBody = () => {};
  const { answer } = await http.begin({ ...limits, method: 'POST', to: '/drip', json: {} });
  await Promise.all([
    assert.rejects(http.send({ ...limits, to: '/drip' }), gone),
    assert.rejects(answer, gone),
    assert.rejects(http.send({ ...limits, to: '/error', onBody }), gone),
  ]);
  assert.equal((await http.send({ ...limits, to: '/plenty' })).body.length, 75 * 8 * 1024);
  const taken: number[] = [];
  await http.send({ ...limits, to: '/plenty', onBody: (chunk) => void taken.push(chunk.length) });
  assert.equal(
    taken.reduce((sum, bytes) => sum + bytes),
    75 * 8 * 1024,
  );
});

test('a request that leaves a byte at a time is given up after its time', async () => {
  await using server = await startLoopbackServer();
  const client = new Client(server.url);
  await using owners = new AsyncDisposableStack();
  owners.defer(() => client.destroy());
  async function* drip(): AsyncGenerator<Buffer> {
    for (;;) {
      yield Buffer.from('x');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const limits = { answerMs: 60_000, silentMs: 60_000, totalMs: 50, maxBytes: 10 };
  const request = {
    backend: 'gpu1',
    method: 'POST',
    path: '/',
    headers: {},
    body: drip(),
    ...limits,
    signal,
  };
  await assert.rejects(exchange(client, request).answer, failure({ sent: 'unknown', blame: 'backend' }));
});

test('a call goes below the path of the address, with headers and key, and is begun before it is answered', async () => {
  const seen: unknown[] = [];
  let answerNow = () => {};
  await using server = await serve((request, response) => {
    const { method, url, headers } = request;
    seen.push([method, url, headers['authorization'], headers['x-more']]);
    answerNow = () => response.end('{"ok":true}');
    request.resume().on('end', () => server.arrived?.());
  }).then((running) => Object.assign(running, { arrived: undefined as (() => void) | undefined }));
  const arrived = new Promise<void>((resolve) => (server.arrived = resolve));
  await using http = createBackendHttp(access(`${server.url}/v1/`, { headers: { 'X-More': 'yes' } }));
  const { answer } = await http.begin({ method: 'POST', to: '/images?a=b', json: { a: 1 }, signal });
  await arrived;
  answerNow();
  assert.deepEqual(readObject(http, await answer, 'asked'), { ok: true });
  assert.deepEqual(seen, [['POST', '/v1/images?a=b', `Bearer ${secret}`, 'yes']]);
});

test('a redirect is followed on the own origin alone, and never with a body', async () => {
  await using other = await startLoopbackServer();
  const asked: string[] = [];
  await using server = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === '/there') return response.end('here');
    const location = request.url === '/out' ? `${other.url}/` : '/there';
    response.writeHead(307, { location }).end();
  });
  await using http = createBackendHttp(access(server.url));
  assert.equal((await http.send({ to: '/in', signal })).body.toString(), 'here');
  assert.equal((await http.send({ to: '/out', signal })).status, 307);
  assert.equal((await http.send({ method: 'POST', to: '/in', json: {}, signal })).status, 307);
  await assert.rejects(http.send({ to: `${other.url}/`, signal }), failure({ blame: 'backend' }));
  assert.deepEqual(asked, ['GET /in', 'GET /there', 'GET /out', 'POST /in']);
  assert.equal(other.connections, 0);
});

test('a refusal says whose fault it is and never has the key', async () => {
  await using server = await serve((request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, { 'retry-after': '7' });
    response.end(JSON.stringify({ error: { message: `No:\n${secret}`, type: 'x' } }));
  });
  await using http = createBackendHttp(access(server.url));
  for (const [status, blame, sent, lasting] of [
    [400, 'render', 'no', false],
    [401, 'backend', 'no', true],
    [402, 'backend', 'no', true],
    [404, 'pair', 'no', false],
    [408, 'backend', 'unknown', false],
    [409, 'backend', 'no', false],
    [425, 'backend', 'no', false],
    [429, 'backend', 'no', false],
    [499, 'backend', 'unknown', false],
    [500, 'backend', 'unknown', false],
    [502, 'backend', 'unknown', false],
    [503, 'backend', 'no', false],
    [504, 'backend', 'unknown', false],
    [524, 'backend', 'unknown', false],
  ] as const) {
    const refusal = refusalOf(http, await http.send({ to: `/${status}`, signal }), 'asked for a job');
    assert.deepEqual(
      [refusal.blame, refusal.sent, refusal.lasting, refusal.retryAfterSeconds],
      [blame, sent, lasting, 7],
      String(status),
    );
    assert.equal(refusal.message, `gpu1 answered ${status} when asked for a job: No: …`);
  }
});

test('an answer is never larger than its reader takes', async () => {
  await using server = await serve((_request, response) => {
    response.write('x'.repeat(600));
    response.end('x'.repeat(600));
  });
  await using http = createBackendHttp(access(server.url));
  await assert.rejects(http.send({ to: '/', maxBytes: 1_000, signal }), failure({ blame: 'backend' }));
});

test('a result that breaks off is continued where it stopped', async () => {
  const whole = Buffer.from('0123456789'.repeat(20_000));
  const ranges: (string | undefined)[] = [];
  await using server = await serve((request, response) => {
    const { range } = request.headers;
    ranges.push(range);
    const from = Number(/\d+/.exec(range ?? '0')?.[0]);
    response.writeHead(range === undefined ? 200 : 206, {
      'content-length': whole.length - from,
      'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}`,
      etag: '"one"',
    });
    if (ranges.length > 2) return response.end(whole.subarray(from));
    response.write(whole.subarray(from, from + 70_000), () => setImmediate(() => response.destroy()));
  });
  const backend = access(server.url);
  await using http = createBackendHttp(backend);
  await using downloads = createDownloads(backend, http);
  const path = join(folder, 'continued');
  await downloads.save(`${server.url}/file`, { path, maxBytes: 1_000_000, signal });
  assert.ok((await readFile(path)).equals(whole));
  assert.equal(ranges.length, 3);
});

test('an address elsewhere is fetched without the key, and only where it may be', async () => {
  const heads: string[] = [];
  await using files = await startLoopbackServer({
    onRequest(head, socket) {
      heads.push(head);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc');
    },
  });
  await using server = await serve((_request, response) => {
    response.writeHead(302, { location: `${files.url}/moved` }).end();
  });
  const path = join(folder, 'foreign');
  for (const address of [`${files.url}/file`, `${server.url}/file`]) {
    const refusing = access(server.url);
    await using http = createBackendHttp(refusing);
    await using strict = createDownloads(refusing, http);
    await assert.rejects(strict.save(address, { path, maxBytes: 10, signal }), (error) => {
      failure({ blame: 'render', code: 'render_failed', badResult: false })(error);
      return !String(error).includes(files.url);
    });
    assert.equal(heads.length, 0);
    await using open = createDownloads({ ...refusing, egressAllow: ['127.0.0.0/8'] }, http);
    await open.save(address, { path, maxBytes: 10, signal });
    assert.equal(await readFile(path, 'utf8'), 'abc');
    await assert.rejects(
      open.save(address, { path, maxBytes: 2, signal }),
      failure({ blame: 'backend', badResult: true }),
    );
    assert.ok(heads.splice(0).every((head) => !head.includes(secret)));
  }
});

test('a form has the length it says and reads as it was meant', async () => {
  const path = join(folder, 'part');
  await writeFile(path, 'the file');
  const { body, headers } = multipartBody([
    { name: 'prompt', value: 'ein "Käse"\r\n--' },
    { name: 'image[]', path, sizeBytes: 8, fileName: 'a"b.png', contentType: 'image/png' },
  ]);
  const bytes = Buffer.concat(await Array.fromAsync(body));
  assert.equal(headers['content-length'], String(bytes.length));
  const form = await new Response(bytes, { headers }).formData();
  assert.equal(form.get('prompt'), 'ein "Käse"\r\n--');
  const file = form.get('image[]');
  assert.ok(file instanceof File);
  assert.deepEqual([await file.text(), file.type, file.name], ['the file', 'image/png', 'a"b.png']);
});
