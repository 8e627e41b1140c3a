import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { consoleOperations } from '@renderkit/contract/console/operations.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import { createRandom } from '@renderkit/server-kit/testing/random.ts';
import { buildRawRequest } from '@renderkit/server-kit/testing/build-raw-request.ts';
import { exchange, firstAnswer } from '@renderkit/server-kit/testing/raw-http.ts';
import { startTestService, type TestService } from './harness.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
const tries = Number(process.env['FUZZ_REQUESTS'] ?? 3_000);

let service: TestService;
before(async () => (service = await startTestService()));
after(() => service[Symbol.asyncDispose]());

test(`${tries} requests as bytes end in an answer that is no fault of ours (seed ${seed})`, async (context) => {
  context.diagnostic(`FUZZ_SEED=${seed} builds the same requests again`);
  const random = createRandom(seed);
  const key = await service.createKey();
  const paths = [
    ...Object.values(operations).map(({ path }) => path),
    ...Object.values(consoleOperations).map(({ path }) => path),
    '/',
    '/docs',
    '/docs/errors',
    '/openapi.json',
    '/healthz',
    '/readyz',
    '/metrics',

    '/console',
    '/console/',
    '/console/keys',
    '/console/assets/a.js',
    consoleAddresses.signIn,
    consoleAddresses.callback,
  ];
  let left = tries;
  const work = async () => {
    while (left-- > 0) {
      const bytes = buildRawRequest(random, paths, `Bearer ${key}`);
      const got = await exchange(service.url, bytes, 20_000);
      const answer = firstAnswer(
        got.text.startsWith('HTTP/1.1 100 ') ? { ...got, text: got.text.slice(25) } : got,
      );
      const what = JSON.stringify(bytes.slice(0, 500));
      // A stream of events continues while a client reads it.
      const isStream = answer?.headers['content-type']?.startsWith('text/event-stream') === true;
      assert.ok(got.closed || isStream, `hangs: ${what}`);
      assert.ok(answer, `no answer: ${what} → ${got.text.slice(0, 200)}`);
      // The console is not built here, and its pages report this.
      const unbuilt =
        answer.status === 503 && answer.headers['content-type']?.startsWith('text/html') === true;
      assert.ok(answer.status < 500 || unbuilt, `${what} → ${got.text.slice(0, 300)}`);
      assert.doesNotMatch(answer.body, /"statusCode"/, what);
      if (answer.status >= 400 && !unbuilt)
        assert.equal(
          answer.headers['content-type'],
          'application/problem+json',
          `${what} → ${got.text.slice(0, 300)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  assert.doesNotMatch(service.logged.join('\n'), /a request failed/);
});
