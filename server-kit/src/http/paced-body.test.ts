import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpServer } from './create-http-server.ts';
import { type Pace, pacedBody, SenderLost } from './paced-body.ts';
import { BodyCutShort, readBody } from './read-body.ts';
import { exemptFromRequestTimeout, mustCloseUnread } from './request-body.ts';

async function lengthOf(request: IncomingMessage, pace?: Pace): Promise<number> {
  let length = 0;
  await readBody(request, { limit: 1_000, take: (bytes) => void (length += bytes.length), pace });
  return length;
}

/**
 * Starts a server with a request time-out of half a second and routes that check the pace of their bodies themselves.
 */
async function startServer(windowMs: number) {
  const pace = { minBytesPerSecond: 20, windowMs };
  const app = createHttpServer({
    presentError: ({ reason }) => ({ status: 400, headers: {}, body: reason }),
    newRequestId: () => 'req_1',
    headersTimeoutMs: 300,
    requestTimeoutMs: 500,
    connectionsCheckingIntervalMs: 50,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const lost = (request: Parameters<typeof mustCloseUnread>[0], error: unknown) => {
    if (!(error instanceof SenderLost) && !(error instanceof BodyCutShort)) throw error;
    mustCloseUnread(request);
    return error.name;
  };
  app.post('/stream', async ({ raw }) => {
    using _ = exemptFromRequestTimeout(raw);
    let bytes = 0;
    try {
      for await (const chunk of pacedBody(raw, pace)) bytes += chunk.length;
    } catch (error) {
      return lost(raw, error);
    }
    return `${bytes} bytes`;
  });
  app.post('/whole', async ({ raw }) => {
    using _ = exemptFromRequestTimeout(raw);
    try {
      return `${await lengthOf(raw, pace)} bytes`;
    } catch (error) {
      return lost(raw, error);
    }
  });
  app.post('/ordinary', async ({ raw }) => `${await lengthOf(raw)} bytes`);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => app.close() };
}

/** Sends this many bytes, one every `everyMs`, and returns the answer. */
async function trickle(port: number, path: string, bytes: number, everyMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const answered = new AbortController();
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')));
    socket.once('close', () => resolve('no answer'));
  });
  void answer.finally(() => answered.abort());
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`);
  for (let i = 0; i < bytes && !answered.signal.aborted; i++) {
    socket.write('x');
    await sleep(everyMs);
  }
  const text = await answer;
  socket.destroy();
  return text;
}

test('a body that keeps its own pace may take longer than a request, others may not', async () => {
  await using server = await startServer(400);
  const [stream, whole, ordinary] = await Promise.all([
    trickle(server.port, '/stream', 60, 20),
    trickle(server.port, '/whole', 60, 20),
    trickle(server.port, '/ordinary', 60, 20),
  ]);
  assert.match(stream, /60 bytes$/);
  assert.match(whole, /60 bytes$/);
  assert.match(ordinary, /too_slow$/);
});

test('one that comes more slowly than it must is given up', async () => {
  await using server = await startServer(200);
  assert.match(await trickle(server.port, '/stream', 60, 150), /SenderLost$/);
  assert.match(await trickle(server.port, '/whole', 60, 150), /BodyCutShort$/);
});
