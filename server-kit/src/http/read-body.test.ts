import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { readBody } from './read-body.ts';

test('a request keeps nothing of its body once that was read, and may break without ending the process', async () => {
  const read: { request: IncomingMessage; listeners: unknown[] }[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      await readBody(request, {
        limit: 100,
        take: () => undefined,
        pace: { minBytesPerSecond: 1, windowMs: 9_000 },
      });
      read.push({ request, listeners: request.listeners('error') });
      response.end();
    };
    void answer();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const body of ['one', 'two']) await fetch(url, { method: 'POST', body });
  server.close();
  const [one, two] = read;
  // A listener that all of them share cannot keep any of their bodies in memory.
  assert.equal(one?.listeners.length, 1);
  assert.deepEqual(one.listeners, two?.listeners);
  assert.ok(one.request.emit('error', new Error('broke')));
});
