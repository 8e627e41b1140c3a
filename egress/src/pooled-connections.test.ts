import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEgress, type Egress, type EgressRequest } from './guarded-fetch.ts';
import { parseCidrs } from './public-address.ts';
import { type LoopbackServer, startLoopbackServer } from './testing/loopback-server.ts';

const allow = parseCidrs('127.0.0.0/8');
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Starts a server that answers each request and keeps every connection open. */
function startKeeping(
  answer: (socket: Socket) => void = (socket) => socket.write(OK),
): Promise<LoopbackServer> {
  return startLoopbackServer({ onConnection: (socket) => socket.on('data', () => answer(socket)) });
}

async function post(egress: Egress, url: string, more: Partial<EgressRequest> = {}): Promise<string> {
  const result = await egress.request({
    method: 'POST',
    url,
    body: Buffer.from('{}'),
    totalTimeoutMs: 5_000,
    maxResponseBytes: 1_000,
    whenLarger: 'cut',
    poolKey: 'one',
    ...more,
  });
  return result.ok ? String(result.status) : result.kind;
}

test('whoever asks for it gets its connection again', async () => {
  await using server = await startKeeping();
  await using egress = createEgress({ allow });
  for (let i = 0; i < 20; i++) assert.equal(await post(egress, `${server.url}/${i}`), '200');
  assert.equal(server.connections, 1);
});

test('nobody gets the connection of another name given by the caller', async () => {
  await using server = await startKeeping();
  await using egress = createEgress({ allow });
  for (const poolKey of ['one', 'other', 'one', 'other']) await post(egress, server.url, { poolKey });
  assert.equal(server.connections, 2);
  for (let i = 0; i < 3; i++)
    await egress.request({
      method: 'GET',
      url: server.url,
      totalTimeoutMs: 5_000,
      maxResponseBytes: 9,
      whenLarger: 'cut',
    });
  assert.equal(server.connections, 5);
});

test('a connection is never used for another host, though it lead to the same address', async () => {
  await using server = await startKeeping();
  await using egress = createEgress({ allow, resolver: () => Promise.resolve(['127.0.0.1']) });
  for (const host of ['a.test', 'b.test', '127.0.0.1', 'a.test', 'b.test', '127.0.0.1'])
    assert.equal(await post(egress, `http://${host}:${server.port}/`), '200');
  assert.equal(server.connections, 3);
});

test('a name that rebinds gets nowhere: what is kept leads where it was validated, what is new is validated', async () => {
  await using server = await startKeeping();
  let addresses = ['127.0.0.1'];
  await using egress = createEgress({ allow, resolver: () => Promise.resolve(addresses) });
  const url = `http://a.test:${server.port}/`;
  assert.equal(await post(egress, url), '200');
  addresses = ['10.0.0.1'];
  assert.equal(await post(egress, url), '200');
  assert.equal(server.connections, 1);
  // Two requests at once need a second connection.
  assert.deepEqual((await Promise.all([post(egress, url), post(egress, url)])).sort(), ['200', 'blocked']);
  assert.equal(server.connections, 1);
});

test('a connection that the other side closed meanwhile costs no failure', async () => {
  let drop = false;
  await using server = await startKeeping((socket) => {
    // Like a server whose idle time-out ends just when the next request arrives.
    if (drop) {
      drop = false;
      socket.destroy();
    } else socket.write(OK);
  });
  await using egress = createEgress({ allow });
  for (let i = 1; i <= 5; i++) {
    assert.equal(await post(egress, server.url), '200');
    drop = true;
  }
  assert.equal(server.connections, 5);
});

const spoilt: Record<string, (socket: Socket) => void> = {
  'gets connection: close': (socket) => socket.write(OK.replace('\r\n', '\r\nconnection: close\r\n')),
  'has an answer too many': (socket) => socket.write(OK + OK),
  'has an answer that was cut': (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${'x'.repeat(5_000)}`),
  'has an answer without an end': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'),
};
for (const [name, answer] of Object.entries(spoilt))
  test(`a connection that ${name} is not used again`, async () => {
    await using server = await startKeeping(answer);
    await using egress = createEgress({ allow });
    for (let i = 1; i <= 3; i++) {
      assert.equal(await post(egress, server.url), '200');
      assert.equal(server.connections, i);
      await sleep(20);
    }
  });

test('what is kept is closed with the egress', async () => {
  const open = new Set<Socket>();
  await using server = await startLoopbackServer({
    onConnection: (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('data', () => socket.write(OK));
    },
  });
  const egress = createEgress({ allow });
  await Promise.all([1, 2, 3].map(() => post(egress, server.url)));
  assert.equal(open.size, 3);
  await egress[Symbol.asyncDispose]();
  for (let i = 0; i < 100 && open.size > 0; i++) await sleep(10);
  assert.equal(open.size, 0);
});

test('no stack is read where a connection is closed, which would have the source map read', async () => {
  await using server = await startKeeping();
  const egress = createEgress({ allow });
  await Promise.all([1, 2, 3].map(() => post(egress, server.url)));
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  let stacks = 0;
  try {
    Error.prepareStackTrace = () => String((stacks += 1));
    await egress[Symbol.asyncDispose]();
  } finally {
    if (before === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
    else Object.defineProperty(Error, 'prepareStackTrace', before);
  }
  assert.equal(stacks, 0);
});
