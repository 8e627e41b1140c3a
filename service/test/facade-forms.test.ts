// What a form may contain in addition to its files at a facade, and how long it may take.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { jsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import { createHttpServer } from '@renderkit/server-kit/http/create-http-server.ts';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import { createReadRequest } from '../src/facades/read-request.ts';
import { ApiProblem } from '../src/problems/api-problem.ts';
import { postForm } from './post-form.ts';

const limitBytes = 4 * jsonBodyBytes;

/** A route that reads forms and returns what it read, or the error. */
async function startReader(pace?: Pace) {
  const places: number[] = [];
  const left: number[] = [];
  const stored: string[] = [];
  const readRequest = createReadRequest({
    largeBodies: {
      enter: (_accountId, bytes) => {
        places.push(bytes);
        return Promise.resolve(() => void left.push(bytes));
      },
    },
    storeFile: async ({ field, bytes }) => {
      for await (const _ of bytes());
      stored.push(field);
    },
    ...(pace && { pace }),
  });
  const app = createHttpServer({
    newRequestId: () => 'req',
    presentError: ({ reason }) => ({ status: 500, headers: {}, body: reason }),
  });
  await app.register((scope, _options, done) => {
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.setErrorHandler((error, _request, reply) =>
      error instanceof ApiProblem
        ? reply.code(400).send({ errors: error.errors })
        : reply.code(500).send({ errors: [] }),
    );
    scope.post('/', async (request, reply) => {
      const options = { limitBytes, fileFields: [], isMaskOfAlpha: () => false };
      const { fields } = await readRequest(request, reply, 'acc_1', options);
      return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value).length]));
    });
    done();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const port = Number(new URL(url).port);
  return { url, port, places, left, stored, [Symbol.asyncDispose]: () => app.close() };
}

const fieldsOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, place) => ({ name: `field_${place}`, value: 'x'.repeat(bytes) }));

test('the texts of a form have one limit together', async () => {
  await using reader = await startReader();
  const answer = await postForm(reader.url, 'key', fieldsOf(5, jsonBodyBytes - 1_000));
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body['errors'], [
    { field: 'body', message: `must not have fields of more than ${limitBytes} bytes together` },
  ]);
  assert.equal(reader.left.length, 1);
});

test('a form takes a place among the large bodies for its texts, not for its files', async () => {
  await using reader = await startReader();
  const file = { name: 'image', value: Buffer.alloc(3 * jsonBodyBytes), fileName: 'a.png' };
  const small = await postForm(reader.url, 'key', [file, { name: 'prompt', value: 'a boat' }]);
  assert.deepEqual([small.status, small.body], [200, { prompt: 6 }]);
  assert.deepEqual(reader.places, []);
  const dataUrl = { name: 'image', value: 'x'.repeat(3 * jsonBodyBytes) };
  const large = await postForm(reader.url, 'key', [dataUrl, { name: 'prompt', value: 'a boat' }]);
  assert.deepEqual([large.status, large.body], [200, { image: 3 * jsonBodyBytes, prompt: 6 }]);
  const [place = 0] = reader.places;
  assert.ok(place > 3 * jsonBodyBytes && place <= limitBytes, String(place));
  assert.deepEqual(reader.left, [place]);
});

const disposition = 'Content-Disposition: form-data; name=';
const wholeFile = `--b\r\n${disposition}"image"; filename="a.png"\r\n\r\na picture\r\n`;
const silences: { where: string; sent: string }[] = [
  { where: 'before its first part', sent: '' },
  { where: "within a part's head", sent: `${wholeFile}--b\r\nContent-Dispo` },
  { where: 'within a text', sent: `${wholeFile}--b\r\n${disposition}"prompt"\r\n\r\na bo` },
  { where: 'behind its last part', sent: `${wholeFile}--b--\r\n` },
];
for (const { where, sent } of silences)
  test(`a form that falls silent ${where} is refused in time`, { timeout: 20_000 }, async () => {
    await using reader = await startReader({ minBytesPerSecond: 64 * 1024, windowMs: 200 });
    const socket = connect(reader.port, '127.0.0.1');
    using _ = { [Symbol.dispose]: () => socket.destroy() };
    await once(socket, 'connect');
    socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n' +
        `Content-Type: multipart/form-data; boundary=b\r\n\r\n${sent}`,
    );
    // Reads to the end: the connection closes after the answer.
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /"field":"body","message":"came too slowly, or not to its end"/);
    assert.deepEqual(reader.stored, sent === '' ? [] : ['image']);
  });

test('a form whose texts drip is refused, however many there are', { timeout: 20_000 }, async () => {
  await using reader = await startReader({ minBytesPerSecond: 64 * 1024, windowMs: 300 });
  const socket = connect(reader.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n' +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n',
  );
  let count = 0;
  const drip = setInterval(() => {
    if (socket.writable) socket.write(`--b\r\n${disposition}"f${count++}"\r\n\r\nx\r\n`);
  }, 20);
  using _ = {
    [Symbol.dispose]: () => {
      clearInterval(drip);
      socket.destroy();
    },
  };
  const answer = await text(socket);
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.ok(count > 2, String(count));
});
