import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { largeJsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { createRandom } from '@renderkit/server-kit/testing/random.ts';
import { largeBodies } from '@renderkit/service/validation/testing/large-body-shapes.ts';
import type { LongestTurn } from './loop-delay-entry.ts';
import { startServiceProcess } from './service-process.ts';

/** Ten times the intended limit, because other tests run at the same time. */
const maxStretchMs = 500;
const seed = Number(process.env['SHAPES_SEED'] ?? randomInt(2 ** 31));
const random = createRandom(seed);

let service: Awaited<ReturnType<typeof startMeasured>>;
before(async () => (service = await startMeasured()));
after(() => service[Symbol.asyncDispose]());

for (const { name, field, bytes } of largeBodies(random))
  test(`${name}: is validated in short stretches (seed ${seed})`, async (context) => {
    assert.ok(bytes.length <= largeJsonBodyBytes, `${bytes.length} bytes`);
    // The first request compiles code, which is not part of the measurement.
    await service.post('/v1/estimate', Buffer.from('{"kind":"image_edit","image":"x","prompt":"y"}'));
    for (const route of ['/v1/estimate', '/v1/images/edits']) {
      if (route === '/v1/images/edits' && field !== undefined && field !== 'mask') continue;
      const body =
        route === '/v1/estimate'
          ? bytes
          : Buffer.from(bytes.toString('latin1').replace(/"kind":"\w+",/, ''), 'latin1');
      service.measure();
      const answer = await service.post(route, body);
      const longest = await service.maxTurnMs();
      context.diagnostic(`${route} ${answer.status}: ${longest.toFixed(0)} ms`);
      if (field === undefined) assert.ok(answer.status < 300, answer.text);
      else {
        const problem = JSON.parse(answer.text) as Problem;
        assert.deepEqual([answer.status, problem.code], [400, 'invalid_request'], answer.text);
        assert.deepEqual([...new Set(problem.errors?.map((error) => error.field))], [field], answer.text);
      }
      assert.ok(longest < maxStretchMs, `a turn took ${longest} ms`);
    }
  });

test('a body in chunks of one byte is refused before it has all come', async () => {
  const body = `{"kind":"image","prompt":"${'x'.repeat(4_000)}"}`;
  for (const [bytesAtOnce, message] of [
    [1, 'must not come in pieces of a few bytes each'],
    [300, undefined],
  ] as const) {
    const pieces = body.match(new RegExp(`.{1,${bytesAtOnce}}`, 'g')) ?? [];
    const text = await service.postChunks('/v1/estimate', pieces);
    if (message === undefined) assert.match(text, /^HTTP\/1\.1 200 /);
    else assert.match(text, new RegExp(`^HTTP/1\\.1 400 [^]*"field":"body","message":"${message}"`));
  }
});

async function startMeasured() {
  const {
    url,
    key,
    child,
    [Symbol.asyncDispose]: dispose,
  } = await startServiceProcess('loop-delay-entry.ts');
  return {
    post: (route: string, body: Buffer) => post(url + route, key, body),
    postChunks: async (route: string, chunks: readonly string[]) => {
      const { port, hostname } = new URL(url);
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('error', () => undefined).on('data', (chunk) => (text += chunk.toString()));
      socket.write(
        `POST ${route} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
          'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
      );
      socket.write(chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join(''));
      socket.write('0\r\n\r\n');
      await new Promise((resolve) => socket.on('close', resolve));
      return text;
    },
    measure: () => child.send('measure'),
    maxTurnMs: async () => {
      const told = once(child, 'message') as Promise<[LongestTurn]>;
      child.send('stop measuring');
      return (await told)[0].milliseconds;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

function post(url: string, key: string, body: Buffer): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
      'idempotency-key': `shape ${Math.floor(random() * 2 ** 50)}`,
    };
    const sending = request(url, { method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sending.on('error', reject);
    sending.end(body);
  });
}
