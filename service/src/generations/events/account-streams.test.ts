import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventStreamHeaders, EventStreams } from '@renderkit/server-kit/http/event-streams.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { composeEvent } from '../../webhooks/events/compose-event.ts';
import { writeEvent } from '../../webhooks/events/queries.ts';
import { seedAccount } from '../testing/seed.ts';
import { AccountStreams } from './account-streams.ts';

const events = 500;
/** Large events, because a local connection buffers some megabytes that nobody reads. */
const eventBytes = 30_000;

test('events that come one by one wait in the database for a reader that takes none', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  const { accountId } = await seedAccount(database);
  using streams = new EventStreams();
  const log = createLogger({ part: 'test', level: 'silent' });
  await using accounts = new AccountStreams({ database, log });
  const opened = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, eventStreamHeaders);
    accounts.add(streams.start(response), { accountId, position: 0, types: undefined });
    opened.resolve(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using _server = {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const { port } = server.address() as AddressInfo;
  const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  const response = await opened.promise;
  const ids: string[] = [];
  let most = 0;
  for (let n = 0; n < events; n++) {
    const at = new Date().toISOString();
    const event = composeEvent('generation.failed', JSON.stringify({ text: 'x'.repeat(eventBytes) }), at);
    await database.transaction((transaction) =>
      writeEvent(transaction, event, { accountId, subjectId: `gen_${n}`, at }),
    );
    ids.push(event.id);
    accounts.wake([accountId]);
    await sleep(1);
    most = Math.max(most, response.writableLength);
  }
  assert.ok(most < 55 * eventBytes, `${most} bytes waited in memory`);
  const told: string[] = [];
  let rest = '';
  answer.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('id: ')) told.push(line.slice(4));
  });
  for (let i = 0; i < 500 && told.length < events; i++) await sleep(20);
  assert.deepEqual(told, ids);
});
