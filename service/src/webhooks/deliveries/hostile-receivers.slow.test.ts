import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { portOf, startLoopbackServer } from '@renderkit/egress/testing/loopback-server.ts';
import { selfSignedCertificate } from '@renderkit/egress/testing/self-signed-certificate.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { operator } from '../../identity/audit/actor.ts';
import { createWebhook } from '../endpoints/create-webhook.ts';
import { listDeliveries, showDelivery } from './list-deliveries.ts';
import { allow, secrets, seedAccount, seedEvent, startDeliverer } from './testing/seed.ts';

type Hostility = {
  answer: (socket: Socket, canary: string) => void;
  status: number | null;
  failure: string | null;
  /** The attempt takes the whole 10 s. */
  slow?: true;
};

const bomb = gzipSync(Buffer.alloc(20_000_000));
const head = 'HTTP/1.1 200 OK\r\n';

const hostilities: Record<string, Hostility> = {
  'a head of a byte a second': {
    answer: (socket) => drip(socket, '', 'HTTP/1.1 200 And so on'),
    status: null,
    failure: 'timeout',
    slow: true,
  },
  silence: { answer: () => undefined, status: null, failure: 'timeout', slow: true },
  'a body of a byte a second': {
    answer: (socket) => drip(socket, `${head}\r\n`),
    status: 200,
    failure: null,
    slow: true,
  },
  'an endless body': { answer: (socket) => flood(socket, `${head}\r\n`), status: 200, failure: null },
  'an endless chunked body': {
    answer: (socket) =>
      flood(socket, `${head}transfer-encoding: chunked\r\n\r\n`, `4000\r\n${'x'.repeat(0x4000)}\r\n`),
    status: 200,
    failure: null,
  },
  'a gzip bomb': {
    answer: (socket) =>
      socket.end(
        Buffer.concat([
          Buffer.from(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`),
          bomb,
        ]),
      ),
    status: 200,
    failure: null,
  },
  'a length of 100 GB': {
    answer: (socket) => socket.write(`${head}content-length: 107374182400\r\n\r\nx`),
    status: 200,
    failure: null,
    slow: true,
  },
  'a flood of headers': {
    answer: (socket) => flood(socket, head, `x-flood: ${'y'.repeat(1_000)}\r\n`),
    status: null,
    failure: 'oversized_head',
  },
  'interim answers without end': {
    answer: (socket) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    status: null,
    failure: 'reset',
  },
  'what is no HTTP': {
    answer: (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
    status: null,
    failure: 'reset',
  },
  'a hang-up': { answer: (socket) => socket.destroy(), status: null, failure: 'reset' },
  'an answer cut off': {
    answer: (socket) => socket.end(`${head}content-length: 50\r\n\r\nshort`),
    status: 200,
    failure: null,
  },
  'a redirect to a private address': {
    answer: (socket, canary) =>
      socket.end(`HTTP/1.1 307 Go\r\nlocation: ${canary}\r\ncontent-length: 0\r\n\r\n`),
    status: 307,
    failure: 'redirect',
  },
  'a refusal with zero bytes in it': {
    answer: (socket) => socket.end(`HTTP/1.1 410 Gone\r\ncontent-length: 7\r\n\r\na\0b\xff\xfe\0c`),
    status: 410,
    failure: 'status',
  },
};

test('hostile receivers cost an attempt its 10 s at most, and their deliveries end as data', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  await using owned = new AsyncDisposableStack();
  const canary = owned.use(await startLoopbackServer());
  const endpoints = new Map<string, string>();
  const accounts = new Set<string>();
  for (const [name, { answer }] of Object.entries(hostilities)) {
    const server = owned.use(
      await startLoopbackServer({ onRequest: (_head, socket) => answer(socket, `${canary.url}/private`) }),
    );
    const accountId = await seedAccount(database);
    accounts.add(accountId);
    const { id } = await createWebhook(
      database,
      secrets,
      {
        accountId,
        url: server.url,
        events: ['generation.succeeded'],
        allow,
      },
      operator.actor,
    );
    endpoints.set(id, name);
  }
  owned.use(startDeliverer(database));
  const began = performance.now();
  for (const accountId of accounts) await seedEvent(database, accountId);
  for (;;) {
    const [left] = await database.rows<{ count: number }>(
      'select count(*)::int as count from deliveries where last_attempt_at is null',
    );
    if (left?.count === 0) break;
    assert.ok(performance.now() - began < 20_000, `${left?.count} are still under way`);
    await sleep(50);
  }
  for (const accountId of accounts)
    for (const delivery of await listDeliveries(database, { accountId })) {
      const name = endpoints.get(delivery.endpoint_id) ?? '';
      const { status, failure, slow } = hostilities[name] ?? assert.fail();
      assert.deepEqual([delivery.last_status, delivery.last_failure], [status, failure], name);
      assert.equal(delivery.status, failure === null ? 'delivered' : 'pending', name);
      const [attempt] = (await showDelivery(database, delivery.id)).history;
      const durationMs = attempt?.duration_ms ?? -1;
      if (slow === true)
        assert.ok(durationMs >= 9_900 && durationMs < 13_000, `${name} took ${durationMs} ms`);
      else assert.ok(durationMs >= 0 && durationMs < 9_000, `${name} took ${durationMs} ms`);
      assert.ok(Buffer.byteLength(attempt?.answer ?? '') <= 3 * 1_024);
      if (failure === 'status') assert.equal(attempt?.answer, 'a\ufffdb\u00ff\u00fe');
    }
  assert.equal(canary.connections, 0);
});

test('names that rebind, lead nowhere or have no certificate, and closed ports, end as what they are', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  await using owned = new AsyncDisposableStack();
  const canary = owned.use(await startLoopbackServer({ host: '127.0.0.1' }));
  const tls = createTlsServer(selfSignedCertificate('127.0.0.1'), (socket) => socket.end()).listen(
    0,
    '127.0.0.1',
  );
  await once(tls, 'listening');
  owned.defer(() => void tls.close());
  const closed = await startLoopbackServer();
  await closed[Symbol.asyncDispose]();
  const urls = {
    tls: `https://127.0.0.1:${portOf(tls)}/`,
    refused: closed.url,
    dns: 'https://nowhere.example/',
    blocked_address: `https://rebinding.example:${canary.port}/`,
  };
  const accountId = await seedAccount(database);
  for (const url of Object.values(urls))
    await createWebhook(
      database,
      secrets,
      {
        accountId,
        url,
        events: ['generation.succeeded'],
        allow,
        resolver: () => Promise.resolve(['8.8.8.8']),
      },
      operator.actor,
    );
  // A name that was public when it was saved resolves into the private network when the delivery is sent.
  owned.use(
    startDeliverer(database, {
      resolver: (name) =>
        name === 'nowhere.example'
          ? Promise.reject(new Error('no such name'))
          : Promise.resolve(['10.0.0.1']),
    }),
  );
  await seedEvent(database, accountId);
  for (let i = 0; i < 200; i++) {
    await sleep(50);
    if (
      (await listDeliveries(database, { accountId })).every(({ last_failure: failure }) => failure !== null)
    )
      break;
  }
  const found = (await listDeliveries(database, { accountId })).map(({ url, last_failure: failure }) => [
    failure,
    url,
  ]);
  assert.deepEqual(
    Object.fromEntries(found),
    Object.fromEntries(Object.entries(urls).map(([kind, url]) => [kind, new URL(url).href])),
  );
  assert.equal(canary.connections, 0);
});

/** Sends a byte a second, and repeats the text when it ends. */
function drip(socket: Socket, beginning: string, text = 'x'): void {
  socket.write(beginning);
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 1_000);
  socket.on('close', () => clearInterval(timer));
}

function flood(socket: Socket, beginning: string, piece = 'x'.repeat(16_384)): void {
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', write);
  socket.write(beginning);
  write();
}
