// Files of a studio as the facades pass them on, from a server that answers in every way.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import fastify from 'fastify';
import { base64Of } from './base64-stream.ts';
import { OutputMedia } from './output-media.ts';

const file = randomBytes(100_001);

/** Opens a studio that answers with the given listener. */
async function open(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const studioUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const media = new OutputMedia({ studioUrl, publicUrl: 'http://127.0.0.1' });
  return {
    media,
    base64: async () => (await Array.fromAsync(media.base64(`${studioUrl}/media/1/ast_1.png`))).join(''),
    [Symbol.asyncDispose]: async () => {
      media[Symbol.dispose]();
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

test('base64 of a file is that of its bytes, in whatever pieces they come', async () => {
  await using studio = await open((_request, response) => {
    let at = 0;
    const next = () => {
      if (at >= file.length) return void response.end();
      response.write(file.subarray(at, (at += 9_973)), () => setImmediate(next));
    };
    next();
  });
  assert.equal(await studio.base64(), file.toString('base64'));
  assert.equal(await studio.base64(), file.toString('base64'), 'the connection is taken again');
});

test('a studio may send on to where the file lies', async () => {
  await using studio = await open((request, response) => {
    if (request.url === '/bucket?sign=1') return void response.end(file);
    response.writeHead(302, { location: '/bucket?sign=1' }).end('elsewhere');
  });
  assert.equal(await studio.base64(), file.toString('base64'));
});

test('one that sends in circles, or on to no web address, is not followed', async () => {
  for (const location of ['/media/1/ast_1.png', 'file:///etc/passwd']) {
    await using studio = await open((_request, response) => void response.writeHead(302, { location }).end());
    await assert.rejects(studio.base64(), { code: 'upstream_unavailable' });
  }
});

test('a file that breaks off is told, and one that is not there', async () => {
  await using broken = await open((_request, response) => {
    response.writeHead(200, { 'content-length': file.length });
    response.write(file.subarray(0, 50_000), () => response.destroy());
  });
  await assert.rejects(broken.base64(), { code: 'ECONNRESET' });
  await using missing = await open((_request, response) => void response.writeHead(404).end());
  await assert.rejects(missing.base64(), { code: 'upstream_error' });
});

test('a connection that the studio ended in between is no failure', async () => {
  let asked = 0;
  await using studio = await open((request, response) => {
    asked += 1;
    // A second request on the same connection finds it closed.
    if (asked === 2) return void request.socket.resetAndDestroy();
    response.end(file);
  });
  await studio.base64();
  assert.equal(await studio.base64(), file.toString('base64'));
  assert.equal(asked, 3);
});

test('a studio that falls silent in the middle of a file is given up', async () => {
  const silent = new PassThrough();
  silent.write(Buffer.alloc(20_000));
  await assert.rejects(Array.fromAsync(base64Of(silent, 50)), { message: 'the file stands still' });
  assert.equal(silent.destroyed, true);
});

test('readers that are behind keep nobody else from a picture', async () => {
  await using studio = await open((_request, response) => void response.end(file));
  const url = studio.media.urlOf('http://127.0.0.1/media/1/ast_1.png');
  await using readers = new AsyncDisposableStack();
  for (let n = 0; n < 40; n++) {
    const reader = readers.use(studio.media.base64(url));
    assert.equal((await reader.next()).value, file.subarray(0, 12 * 1024).toString('base64'));
  }
});

test('a link leads to a file, and to nothing beside the files', async () => {
  const asked: string[] = [];
  await using studio = await open((request, response) => {
    asked.push(request.url ?? '');
    response.end(file);
  });
  const app = fastify();
  studio.media.addRoute(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const statusOf = async (path: string, method = 'GET') => {
    // Sends the path unchanged: a URL object would normalize it first.
    const request = get({
      host: '127.0.0.1',
      port: (app.server.address() as AddressInfo).port,
      path,
      method,
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  try {
    assert.equal(await statusOf('/media/1/ast_1.png'), 200);
    assert.equal(await statusOf('/media/1/ast_1.png', 'HEAD'), 200);
    for (const path of [
      '/media/%2e%2e/metrics',
      '/media/..%2f..%2fmetrics/x',
      '/media/1/%2e%2e',
      '/media/1/a%3fb',
    ])
      assert.notEqual(await statusOf(path), 200, path);
    assert.deepEqual(asked, ['/media/1/ast_1.png', '/media/1/ast_1.png']);
  } finally {
    await app.close();
  }
});
