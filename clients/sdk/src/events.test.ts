import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Renderkit, { RenderkitError } from './renderkit.ts';

const openStream = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`retry: 3000\n\n${text}`);
const eventText = (id: string) =>
  `event: generation.created\nid: ${id}\ndata: ${JSON.stringify({ id, type: 'generation.created' })}\n\n`;

test('a stream of events goes on after a break from the last id, though nothing had happened, and ends where no try helps', async () => {
  const asked: [string | undefined, string | undefined][] = [];
  const steps: ((response: ServerResponse) => void)[] = [
    (response) => openStream(response, 'id: evt_1\n\n'),
    (response) => openStream(response, eventText('evt_2') + eventText('evt_3')),
    (response) => response.writeHead(401).end(),
  ];
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers['last-event-id'] as string | undefined]);
    steps.shift()?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Renderkit({ baseUrl, apiKey: 'rk_live_x' });
  const seen: string[] = [];
  let breaks = 0;
  await assert.rejects(
    async () => {
      const types = ['generation.created', 'generation.failed'] as const;
      for await (const { id } of client.events.stream({ types, onBreak: () => (breaks += 1) })) seen.push(id);
    },
    (error) => RenderkitError.is(error) && error.code === 'unauthorized',
  );
  server.close();
  assert.deepEqual([seen, breaks], [['evt_2', 'evt_3'], 2]);
  const url = '/v1/events?types=generation.created%2Cgeneration.failed';
  assert.deepEqual(asked, [
    [url, undefined],
    [url, 'evt_1'],
    [url, 'evt_3'],
  ]);
});
