import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './http-call.ts';
import { createStreamSender, type StreamRequest } from './send-stream.ts';
import { StudioFailure } from './studio-failure.ts';

/** Starts a studio that is only a socket. */
async function startSockets(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sender = createStreamSender(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 4);
  return {
    send: (body: AsyncIterable<Uint8Array>, more: Partial<StreamRequest> = {}): Promise<Reply> =>
      Promise.resolve().then(() =>
        sender.send({
          method: 'PUT',
          path: '/file?x=1',
          headers: { authorization: 'Bearer a' },
          body,
          timeoutMs: 2_000,
          maxBytes: 1_000,
          repeatable: false,
          ...more,
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      sender[Symbol.dispose]();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
const fails = (kind: StudioFailure['kind'], maybeSent: boolean) => (error: unknown) => {
  assert.ok(error instanceof StudioFailure, String(error));
  assert.deepEqual([error.kind, error.maybeSent], [kind, maybeSent], error.message);
  return true;
};

/**
 * Yields `chunks` chunks, one every `everyMs` milliseconds. Records how many were requested, and that the source was
 * closed.
 */
function source(chunks: number, everyMs = 0, bytes = 10) {
  const state = { asked: 0, letGo: false };
  const body = async function* () {
    try {
      for (; state.asked < chunks;) {
        state.asked++;
        if (everyMs > 0) await sleep(everyMs);
        yield Buffer.alloc(bytes, 'x');
      }
    } finally {
      state.letGo = true;
    }
  };
  return { state, body: body() };
}

test('a stream arrives whole, and is answered', async () => {
  let received = '';
  await using studio = await startSockets((socket) => {
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.endsWith('\r\n0\r\n\r\n')) socket.end(answer('thanks'));
    });
  });
  const { body, state } = source(3);
  const reply = await studio.send(body);
  assert.deepEqual([reply.status, reply.body.toString()], [200, 'thanks']);
  assert.match(received, /^PUT \/file\?x=1 HTTP\/1\.1\r\n/);
  assert.match(received, /authorization: Bearer a\r\n/i);
  assert.equal(received.match(/x/g)?.length, 31);
  assert.ok(state.letGo);
});

test('an answer that comes before the end is taken, and the stream let go', async () => {
  await using studio = await startSockets((socket) => {
    socket.once('data', () => socket.end(answer('enough')));
  });
  const { body, state } = source(1_000, 5);
  assert.equal((await studio.send(body)).body.toString(), 'enough');
  for (let i = 0; i < 100 && !state.letGo; i++) await sleep(10);
  assert.ok(state.letGo);
  assert.ok(state.asked < 1_000);
});

test('no more is asked for than the studio takes', async () => {
  await using studio = await startSockets((socket) => socket.pause());
  const { body, state } = source(1_000, 0, 1_000_000);
  await assert.rejects(studio.send(body, { timeoutMs: 300 }), fails('timeout', true));
  assert.ok(state.asked < 30, `${state.asked} MB`);
});

test('the memory of chunks is given back when they have left, and not where they may not have', async () => {
  const chunks = Array.from({ length: 40 }, () => Buffer.from(new ArrayBuffer(100_000)));
  await using studio = await startSockets((socket) => {
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received > 40 * 100_000) socket.end(answer('thanks'));
    });
  });
  const sent = async function* () {
    yield* chunks;
  };
  await studio.send(sent());
  assert.deepEqual(new Set(chunks.map(({ length }) => length)), new Set([0]));
  await using deaf = await startSockets((socket) => socket.pause());
  const large = Array.from({ length: 10 }, () => Buffer.from(new ArrayBuffer(10_000_000)));
  const lost = async function* () {
    yield* large;
  };
  await assert.rejects(deaf.send(lost(), { timeoutMs: 300 }), fails('timeout', true));
  assert.ok(large.some(({ length }) => length > 0));
});

test('a slow source is waited for, a slow studio is not', async () => {
  await using studio = await startSockets((socket) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.includes('\r\n0\r\n\r\n') && !received.includes('silent')) socket.end(answer('thanks'));
    });
  });
  assert.equal((await studio.send(source(4, 150).body, { timeoutMs: 300 })).status, 200);
  await assert.rejects(
    studio.send(source(1).body, { timeoutMs: 300, path: '/silent' }),
    fails('timeout', true),
  );
});

test('what breaks says whether the studio may have it', async () => {
  await using away = await startSockets((socket) => socket.destroy());
  await assert.rejects(away.send(source(100, 5).body), fails('unavailable', true));
  await using odd = await startSockets((socket) => socket.end('220 this is no HTTP\r\n'));
  await assert.rejects(odd.send(source(100, 5).body), fails('nonsense', true));
  await using endless = await startSockets((socket) => socket.write(answer('x'.repeat(5_000))));
  await assert.rejects(endless.send(source(100, 5).body), fails('nonsense', true));
  await using cut = await startSockets((socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  );
  await assert.rejects(cut.send(source(100, 5).body), fails('unavailable', true));
  const nobody = createStreamSender('http://127.0.0.1:1', 4);
  const request = { method: 'PUT', path: '/', timeoutMs: 2_000, maxBytes: 1, repeatable: false } as const;
  await assert.rejects(nobody.send({ ...request, body: source(1).body }), fails('unavailable', false));
});

test("who gives up gets an error that says so, and the source's own error is thrown as it is", async () => {
  const giveUp = new AbortController();
  await using studio = await startSockets((socket) => socket.on('data', () => giveUp.abort()));
  const { body, state } = source(1_000, 5);
  await assert.rejects(studio.send(body, { signal: giveUp.signal }), fails('unavailable', true));
  for (let i = 0; i < 100 && !state.letGo; i++) await sleep(10);
  assert.ok(state.letGo);
  await assert.rejects(studio.send(source(1).body, { signal: giveUp.signal }), fails('unavailable', false));
  const mine = new Error('the source broke');
  const breaking = async function* () {
    yield Buffer.from('x');
    throw mine;
  };
  await assert.rejects(studio.send(breaking()), (error) => error === mine);
});
