// Answers to clients that are slow, or gone.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import { HeldAnswer, jsonForm } from './kept-alive-answer.ts';

async function open(answer: (held: HeldAnswer, response: ServerResponse) => Promise<void>, pace?: Pace) {
  const answered = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    const held = new HeldAnswer(response, {
      form: jsonForm,
      heartbeat: { afterMs: 0, everyMs: 0 },
      headers: () => ({}),
      ...(pace && { pace }),
    });
    answer(held, response).then(answered.resolve, answered.reject);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port }).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return {
    response,
    answered: answered.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function* pieces(count: number): AsyncGenerator<string, void> {
  for (let n = 0; n < count; n++) yield 'x'.repeat(16_384);
}

test('an answer of many pieces leaves nothing that listens on its connection', async () => {
  let most = 0;
  let taken: boolean | undefined;
  await using client = await open(async (held, response) => {
    const counted = async function* () {
      for await (const piece of pieces(1_000)) {
        most = Math.max(most, response.listenerCount('close') + response.listenerCount('drain'));
        yield piece;
      }
    };
    taken = await held.send(counted());
  });
  let bytes = 0;
  for await (const chunk of client.response as AsyncIterable<Buffer>) bytes += chunk.length;
  await client.answered;
  assert.deepEqual([bytes, taken], [16_384_000, true]);
  assert.ok(most < 8, `${most} listeners`);
});

test('one whose client goes away in the middle was not taken', async () => {
  let taken: boolean | undefined;
  await using client = await open(async (held) => {
    taken = await held.send(pieces(1_000_000));
  });
  client.response.on('error', () => undefined).destroy();
  await client.answered;
  assert.equal(taken, false);
});

test('one whose client reads next to nothing is cut off', async () => {
  let taken: boolean | undefined;
  const pace = { minBytesPerSecond: 1_024 * 1_024, windowMs: 200 };
  await using client = await open(async (held) => {
    taken = await held.send(pieces(1_000_000));
  }, pace);
  client.response.on('error', () => undefined).pause();
  // The client reads a little now and then.
  const sips = setInterval(() => client.response.read(1_000), 20);
  await client.answered.finally(() => clearInterval(sips));
  assert.equal(taken, false);
});
