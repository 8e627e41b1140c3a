import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { connectionOver } from './connection.ts';
import { exchange } from './exchange.ts';
import { stopSignal } from './stop-signal.ts';
import { startLoopbackServer } from './testing/loopback-server.ts';

test('a connection that dies before its first use is not replaced', async () => {
  await using server = await startLoopbackServer();
  const socket = connect(server.port, server.host);
  await once(socket, 'connect');
  socket.destroy();
  using stop = stopSignal(5_000);
  const options = {
    method: 'GET' as const,
    url: new URL(server.url),
    headers: {},
    body: null,
    maxHeaderBytes: 16_384,
    maxResponseBytes: 1_000,
    stop,
  };
  const connection = connectionOver(socket, { origin: server.url, maxHeaderBytes: 16_384, keep: false });
  await assert.rejects(exchange(connection, options), { name: 'EgressRefusal', kind: 'protocol' });
  assert.deepEqual([server.connections, server.bytes], [1, 0]);
});
