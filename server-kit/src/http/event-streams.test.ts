import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import {
  eventBytes,
  type EventStream,
  eventStreamHeaders,
  EventStreams,
  type EventStreamsOptions,
} from './event-streams.ts';

/** Opens one stream over a real connection. Returns the server's stream and the client's response. */
async function openStream(options: EventStreamsOptions = {}) {
  const streams = new EventStreams(options);
  const started = Promise.withResolvers<EventStream>();
  const server = createServer((_request, response: ServerResponse) => {
    response.writeHead(200, eventStreamHeaders);
    started.resolve(streams.start(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = request({ port, host: '127.0.0.1' });
  asked.on('error', () => undefined);
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return {
    streams,
    stream: await started.promise,
    answer,
    [Symbol.asyncDispose]: async () => {
      streams[Symbol.dispose]();
      asked.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}

test('an event has its name, its id and each line of its data', () => {
  assert.equal(
    eventBytes({ event: 'done', id: 'evt_1', data: '{"a":1}\n{}' }).toString(),
    'event: done\nid: evt_1\ndata: {"a":1}\ndata: {}\n\n',
  );
});

test('a stream starts with its time to reconnect and ends after what was written', async () => {
  await using open = await openStream();
  assert.equal(open.answer.headers['x-accel-buffering'], 'no');
  assert.equal(open.streams.open, 1);
  open.stream.write(eventBytes({ event: 'one', data: '1' }));
  open.stream.writeLatest('state', eventBytes({ event: 'two', data: '2' }));
  open.stream.end();
  assert.equal(await textOf(open.answer), 'retry: 3000\n\nevent: one\ndata: 1\n\nevent: two\ndata: 2\n\n');
  assert.equal(open.streams.open, 0);
});

test('a silent stream gets heartbeats', async () => {
  await using open = await openStream({ heartbeatMs: 30 });
  let text = '';
  for await (const chunk of open.answer) {
    text += String(chunk);
    if (text.split(':\n\n').length > 3) break;
  }
  assert.match(text, /^retry: 3000\n\n(:\n\n)+$/);
});

test('a reader that stops gets the newest state later, and what must arrive in order', async () => {
  await using open = await openStream();
  const large = eventBytes({ event: 'large', data: 'x'.repeat(64 * 1024) });
  // Writes until neither the kernel nor the process accepts more at once.
  let sent = 0;
  for (; sent < 200; sent++) open.stream.write(large);
  let drained = false;
  const draining = open.stream.drained().then(() => (drained = true));
  for (let i = 0; i < 1_000; i++)
    open.stream.writeLatest('state', eventBytes({ event: 'state', data: String(i) }));
  assert.equal(drained, false);
  const text = textOf(open.answer);
  await draining;
  open.stream.end();
  const events = (await text).split('\n\n');
  assert.equal(events.filter((event) => event.startsWith('event: large')).length, sent);
  assert.deepEqual(
    events.filter((event) => event.startsWith('event: state')),
    ['event: state\ndata: 999'],
  );
});

test('a reader that takes nothing for too long is cut off', async () => {
  await using open = await openStream({ heartbeatMs: 15, stalledMs: 20 });
  const closed = new Promise<void>((resolve) => {
    open.stream.onClose(resolve);
  });
  for (let i = 0; i < 200; i++) open.stream.write(Buffer.alloc(64 * 1024, 'x'));
  await closed;
  assert.equal(open.stream.isOpen, false);
  assert.equal(open.streams.open, 0);
});

test('a server that stops ends its streams and has them come back', async () => {
  await using open = await openStream();
  open.streams[Symbol.dispose]();
  assert.match(await textOf(open.answer), /^retry: 3000\n\nretry: [1-6]\d{3}\n\n$/);
});

test('a reader that goes closes its stream', async () => {
  await using open = await openStream();
  const closed = new Promise<void>((resolve) => {
    open.stream.onClose(resolve);
  });
  open.answer.destroy();
  await closed;
  assert.equal(open.streams.open, 0);
  open.stream.write(Buffer.from('late'));
});
