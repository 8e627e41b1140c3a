import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { studioOperations } from '@renderkit/contract/studio/operations.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { buildRawRequest } from '@renderkit/server-kit/testing/build-raw-request.ts';
import { malformedHeads, malformedPaths } from '@renderkit/server-kit/testing/malformed-requests.ts';
import { createRandom } from '@renderkit/server-kit/testing/random.ts';
import { exchange, firstAnswer } from '@renderkit/server-kit/testing/raw-http.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
const tries = Number(process.env['FUZZ_REQUESTS'] ?? 3_000);

let studio: TestStudio;
let authorization: string;
const logged: string[] = [];
before(async () => {
  const log = createLogger({
    part: 'studio',
    level: 'info',
    destination: { write: (line) => logged.push(line) },
  });
  studio = await startTestStudio({ worker: false, testArguments: { log } });
  authorization = `Bearer ${(await studio.connect()).accessToken}`;
});
after(() => studio[Symbol.asyncDispose]());

async function send(bytes: string) {
  const got = await exchange(studio.url, bytes);
  const answer = firstAnswer(got);
  assert.ok(answer, `no answer to ${JSON.stringify(bytes.slice(0, 200))}: ${got.text.slice(0, 200)}`);
  return { ...answer, closed: got.closed };
}

/** Checks that the studio itself refused: `{code, message}`, and the request's id in a header. */
function assertRefusal(
  answer: Awaited<ReturnType<typeof send>>,
  status: number,
  code: string,
  what: string,
): string {
  assert.equal(answer.status, status, `${what}: ${answer.body}`);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, what);
  assert.match(answer.headers['x-request-id'] ?? '', /^req_[0-9a-z]{26}$/, what);
  const body = JSON.parse(answer.body) as Record<string, string>;
  assert.deepEqual(Object.keys(body), ['code', 'message'], what);
  assert.equal(body['code'], code, what);
  return body['message'] ?? '';
}

describe('a head that could be read in two ways', () => {
  for (const path of ['/api/metadata', '/healthz'])
    test(`is refused and ends the connection: ${path}`, async () => {
      for (const [what, head] of Object.entries(malformedHeads(path))) {
        const answer = await send(head);
        assertRefusal(answer, 400, 'invalid_request', what);
        assert.equal(answer.headers['connection'], 'close', what);
        assert.ok(answer.closed, what);
      }
    });
});

describe('whatever is wrong', () => {
  test('with a path, the answer is of the shape of the others', async () => {
    for (const prefix of ['', '/api', '/api/renders', '/media', '/media/x', '/oidc'])
      for (const path of malformedPaths(prefix)) {
        const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`;
        assertRefusal(await send(head), 400, 'invalid_request', path);
      }
    const star = await send('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assertRefusal(star, 404, 'not_found', '*');
  });

  test('with a method, the answer names those that are there', async () => {
    const ask = (method: string, path: string) =>
      send(
        `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
      );
    for (const [method, path, message] of [
      ['DELETE', '/api/account', 'There is no DELETE here; this path has GET.'],
      ['PROPFIND', '/api/account', 'There is no PROPFIND here; this path has GET.'],
      ['POST', '/api/projects/x', 'There is no POST here; this path has GET, PATCH and DELETE.'],
      ['PUT', '/healthz', 'There is no PUT here; this path has GET.'],
      ['PUT', '/nothing', 'There is nothing at this address.'],
    ] as const)
      assert.equal(assertRefusal(await ask(method, path), 404, 'not_found', path), message);
    assert.equal((await ask('HEAD', '/api/account')).status, 200);
  });

  test(`${tries} requests as bytes end in an answer that is no fault of ours (seed ${seed})`, async (context) => {
    context.diagnostic(`FUZZ_SEED=${seed} builds the same requests again`);
    const random = createRandom(seed);
    const paths = [
      ...Object.values(studioOperations).map(({ path }) => path),
      '/',
      '/healthz',
      '/readyz',
      '/media/:folder/:name',
      '/media/x/thumb.webp',

      '/oidc/auth',
      '/oidc/token',
      '/oidc/.well-known/openid-configuration',
      '/oidc/nothing',
      '/sign-in/x',
      '/sign-in/x/sign-up',
    ];
    let left = tries;
    const work = async () => {
      while (left-- > 0) {
        const bytes = buildRawRequest(random, paths, authorization);
        const got = await exchange(studio.url, bytes, 20_000);
        const text = got.text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
        const answer = firstAnswer({ ...got, text });
        const what = JSON.stringify(bytes.slice(0, 500));
        assert.ok(got.closed, `hangs: ${what}`);
        assert.ok(answer, `no answer: ${what} → ${got.text.slice(0, 200)}`);
        assert.ok(answer.status < 500, `${what} → ${got.text.slice(0, 300)}`);
        assert.doesNotMatch(answer.body, /"statusCode"/, what);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    assert.doesNotMatch(logged.join('\n'), /"level":"error"/);
  });
});

describe('a JSON body', () => {
  const quote = (body: string) =>
    send(
      `POST /api/quotes HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
        `Connection: close\r\nContent-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`,
    );
  const request = (members: string) => `{"quotes":[{"request":{"kind":"image",${members}}}]}`;

  test('is refused with the position of what is wrong in it, as it comes', async () => {
    for (const [body, message] of [
      [
        request(`"cfg":${'1'.repeat(7_000_000)}`),
        /^quotes\[0\]\.request\.cfg must be a number of at most 40 characters$/,
      ],
      [
        request(`"cfg":${'1'.repeat(41)}`),
        /^quotes\[0\]\.request\.cfg must be a number of at most 40 characters$/,
      ],
      [
        request(`"prompt":"${'x'.repeat(7_000_000)}"`),
        /^quotes\[0\]\.request\.prompt must be at most 20000 characters$/,
      ],
      [
        request(`"model":"${'x'.repeat(201)}"`),
        /^quotes\[0\]\.request\.model must be at most 200 characters$/,
      ],
      [
        request(`"colour":"${'x'.repeat(20_001)}"`),
        /^quotes\[0\]\.request\.colour must be at most 20000 characters$/,
      ],
      [`[${'1,'.repeat(2_000_000)}1]`, /^holds more than 40000 values$/],
      ['['.repeat(2_000_000), /^is nested deeper than 32 levels$/],
      [' '.repeat(2_000_000), /^is not valid JSON$/],
      ['{"quotes":[],"quotes":[]}', /^quotes appears more than once$/],
      ['{"quotes":["\\u0000"]}', /^quotes\[0\] holds U\+0000$/],
      ['"\xff"', /^is not valid UTF-8$/],
      ['', /^is not valid JSON$/],
    ] as const)
      assert.match(assertRefusal(await quote(body), 400, 'invalid_request', body.slice(0, 60)), message);
  });

  test('of more bytes than may be is refused before it is read', async () => {
    const head = 'POST /api/quotes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    const large = `${head}Authorization: ${authorization}\r\nContent-Length: 9000000\r\n\r\n`;
    assertRefusal(await send(large), 413, 'too_large', 'announced');
  });

  test('is waited for where its sender waits to be told', async () => {
    const got = await exchange(
      studio.url,
      `POST /api/projects HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
        'Expect: 100-continue\r\nConnection: close\r\nContent-Length: 16\r\n\r\n{"title":"abcd"}',
    );
    assert.match(got.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 /);
    assert.equal(got.text.match(/100 Continue/g)?.length, 1);
  });
});
