import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { problemCodeNames } from '@renderkit/contract/v1/problem-codes.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { revokeKey } from '../src/operator.ts';
import { assertProblem } from './assert-problem.ts';
import { askAt, startTestService, type TestService } from './harness.ts';
import { startTcpProxy } from '@renderkit/server-kit/testing/tcp-proxy.ts';

describe('a request', () => {
  let service: TestService;
  before(async () => (service = await startTestService()));
  after(() => service[Symbol.asyncDispose]());

  /** Waits until the middle of a minute, so that no window ends within a test. */
  const settle = async () => {
    const [row] = await service.database.rows<{ second: number }>(
      'select extract(second from statement_timestamp())::float8 as second',
    );
    await moveClock(service.database, 30 - (row?.second ?? 0));
  };
  const remaining = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-remaining'));

  test('200 at once under a limit of 120 are 120 answers and 80 refusals, and the answers count down', async () => {
    await settle();
    const key = await service.createKey({ rateLimitPerMinute: 120 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => service.ask('/v1/generations?limit=1', { key })),
    );
    const good = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    assert.deepEqual([good.length, refused.length], [120, 80]);
    assert.deepEqual(
      good.map(remaining).sort((a, b) => a - b),
      Array.from({ length: 120 }, (_, i) => i),
    );
    for (const answer of refused) {
      assertProblem(answer, 'rate_limited', '429');
      assert.equal(remaining(answer), 0);
    }
    await moveClock(service.database, 0);
  });

  test('a wrong secret leaves what remains as it was', async () => {
    await settle();
    const key = await service.createKey({ rateLimitPerMinute: 10 });
    assert.equal(remaining(await service.ask('/v1/generations', { key })), 9);
    const wrong = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    await Promise.all(
      Array.from({ length: 30 }, async () =>
        assertProblem(await service.ask('/v1/generations', { key: wrong }), 'unauthorized', 'wrong'),
      ),
    );
    assert.equal(remaining(await service.ask('/v1/generations', { key })), 8);
    await moveClock(service.database, 0);
  });

  test('a limit holds over two processes together', async () => {
    await settle();
    await using other = await service.startAnother();
    const key = await service.createKey({ rateLimitPerMinute: 50 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        askAt(i % 2 === 0 ? service.url : other.url, '/v1/generations', { key }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 50);
    await moveClock(service.database, 0);
  });

  test('a key revoked by one process is refused by the other from the next request on', async () => {
    await using other = await service.startAnother();
    for (let round = 0; round < 25; round++) {
      const key = await service.createKey();
      const ask = async () => (await askAt(other.url, '/v1/generations', { key })).status;
      assert.equal(await ask(), 200);
      const [row] = await service.database.rows<{ id: string }>(
        'select id from api_keys where public_id = $1',
        [key.slice(8, 20)],
      );
      // Requests run all the time. None that begins after the revocation succeeds.
      const underWay = Promise.all(Array.from({ length: 5 }, ask));
      await revokeKey(service.database, row?.id ?? '');
      assert.deepEqual(await Promise.all(Array.from({ length: 5 }, ask)), [401, 401, 401, 401, 401]);
      await underWay;
    }
  });

  test('unknown paths tell strangers nothing, and count for a key', async () => {
    await settle();
    const key = await service.createKey({ rateLimitPerMinute: 10 });
    for (const path of ['/v1', '/v1/', '/v1/nothing', '/v1/account/', '/v1//account', '/v1/Account']) {
      assertProblem(await service.ask(path), 'unauthorized', path);
      const answer = await service.ask(path, { key, method: 'POST', body: { a: 1 } });
      assertProblem(answer, 'not_found', path);
    }
    assert.equal(remaining(await service.ask('/v1/nothing', { key })), 3);
    assertProblem(await service.ask('/v2/account'), 'not_found', 'outside of /v1');
    assertProblem(await service.ask('/v1/models/%zz'), 'invalid_request', 'no path at all');
    await moveClock(service.database, 0);
  });

  test('all that is wrong is told at once, header, query and body, each with its path', async () => {
    const key = await service.createKey();
    const { body } = await service.refusal('/v1/images/generations?draft=1', {
      key,
      headers: { 'idempotency-key': 'ü'.repeat(3) },
      body: {
        prompt: 7,
        styles: ['a', 2, 'c', 'd'],
        reference_images: ['a', 'b', ''],
        options: { steps: [] },
        metadata: { order: 5 },
        clip_skip: 1.5,
        colour: 'red',
      },
    });
    assert.deepEqual(
      new Map(body.errors?.map(({ field, message }) => [field, message])),
      new Map([
        ['draft', 'there is no parameter draft; none is taken here'],
        ['Idempotency-Key', 'must be 1 to 200 characters of printable ASCII'],
        ['colour', 'there is no field colour'],
        ['prompt', 'must be a string'],
        ['styles', 'must hold at most 3 items'],
        ['styles[1]', 'must be a string'],
        ['reference_images[2]', 'must not be empty'],
        ['options.steps', 'must be a string, a number or a boolean'],
        ['metadata.order', 'must be a string'],
        ['clip_skip', 'must be a whole number'],
      ]),
    );
  });

  test('many large bodies at once are taken a few at a time, and ordinary requests pass them by', async () => {
    const key = await service.createKey();
    const mask = 'x'.repeat(14_000_000);
    const body = Buffer.from(JSON.stringify({ kind: 'image_edit', image: 'x', mask, colour: 'red' }));
    const large = Promise.all(
      Array.from({ length: 8 }, () => service.refusal('/v1/estimate', { key, body })),
    );
    assert.equal((await service.ask('/v1/generations', { key })).status, 200);
    for (const answer of await large) {
      assertProblem(answer, 'invalid_request', 'a large body');
      assert.deepEqual(answer.body.errors, [{ field: 'colour', message: 'there is no field colour' }]);
    }
    const tooLarge = await service.refusal('/v1/images/generations', { key, body });
    assertProblem(tooLarge, 'invalid_request', 'too large');
    assert.equal(tooLarge.body.detail, 'body: must not be larger than 262144 bytes');
  });

  test('an estimate is validated by the body of its kind alone', async () => {
    const key = await service.createKey();
    const refusal = async (body: unknown) =>
      (await service.refusal('/v1/estimate', { key, body })).body.errors?.map(({ field }) => field);
    assert.deepEqual(await refusal({}), ['kind']);
    assert.deepEqual(await refusal({ kind: 'sculpture' }), ['kind']);
    assert.deepEqual(await refusal({ kind: 'image', prompt: 'x', image: 'y' }), ['image']);
    assert.deepEqual(await refusal({ kind: 'image_edit', strength: 2 }), ['image', 'strength']);
  });

  test('an Idempotency-Key is 1 to 200 characters of printable ASCII, sent once, and ignored elsewhere', async () => {
    const key = await service.createKey();
    const create = (headers: Record<string, string>) =>
      service.ask<Problem>('/v1/images/generations', { key, body: { prompt: 'x' }, headers });
    for (const bad of ['', 'x'.repeat(201), 'tab\there']) {
      const answer = await create({ 'idempotency-key': bad });
      assertProblem(answer, 'invalid_request', JSON.stringify(bad));
      assert.equal(answer.body.errors?.[0]?.field, 'Idempotency-Key');
    }
    assert.equal((await create({ 'idempotency-key': 'a' })).status, 202);
    assert.equal((await create({ 'idempotency-key': '~'.repeat(200) })).status, 202);
    const twice = await fetch(`${service.url}/v1/images/generations`, {
      method: 'POST',
      headers: [
        ['authorization', `Bearer ${key}`],
        ['content-type', 'application/json'],
        ['idempotency-key', 'a'],
        ['Idempotency-Key', 'b'],
      ],
      body: '{"prompt":"x"}',
    });
    // fetch joins both headers into one line, which is one value.
    assert.equal(twice.status, 202);
    assert.equal(
      (
        await service.ask('/v1/estimate', {
          key,
          body: { kind: 'image', prompt: 'x' },
          headers: { 'idempotency-key': '' },
        })
      ).status,
      200,
    );
  });

  test('numbers in a query are plain digits', async () => {
    const key = await service.createKey();
    for (const value of ['0', '-1', '1.0', '1e3', '0x10', '٣', '%2B1', '', '1000000000000', 'NaN', '101']) {
      const answer = await service.ask<Problem>(`/v1/generations?limit=${value}`, { key });
      assertProblem(answer, 'invalid_request', value);
      assert.equal(answer.body.errors?.[0]?.field, 'limit');
    }
    for (const query of ['page=999999999', 'page=10002&limit=100', 'wait=61'])
      assertProblem(await service.ask(`/v1/generations?${query}`, { key }), 'invalid_request', query);
    assert.equal((await service.ask('/v1/generations?page=0010&limit=007', { key })).body['page'], 10);
  });

  test('a key in the query opens nothing, a client cannot name its own request', async () => {
    const key = await service.createKey();
    assertProblem(await service.ask(`/v1/account?api_key=${key}`), 'unauthorized', 'query');
    const answer = await service.ask('/v1/generations', {
      key,
      headers: { 'x-request-id': 'mine', host: 'evil.example', 'x-forwarded-for': '1.2.3.4' },
    });
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_[0-9a-z]{26}$/);
  });

  test('prototypes stay as they are', async () => {
    const key = await service.createKey();
    const { status, body } = await service.ask<{ metadata: unknown }>('/v1/images/generations', {
      key,
      body: '{"prompt":"x","metadata":{"toString":"a","constructor":"b","hasOwnProperty":"c"}}',
    });
    assert.equal(status, 202);
    assert.deepEqual(body.metadata, { toString: 'a', constructor: 'b', hasOwnProperty: 'c' });
    assertProblem(
      await service.ask('/v1/images/generations', {
        key,
        body: '{"prompt":"x","metadata":{"constructor":{"prototype":{}}}}',
      }),
      'invalid_request',
      'constructor.prototype',
    );
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });

  test('secrets do not reach the log', async () => {
    const key = await service.createKey();
    await service.ask(`/v1/models/${key}`, { key });
    await service.ask('/v1/images/generations', { key, body: { prompt: key, [key]: 1 } });
    assert.doesNotMatch(service.logged.join(''), new RegExp(key.slice(-32)));
  });

  test('another account cannot see what is ours, and an unknown id looks the same', async () => {
    const stranger = await service.createKey({ accountId: await service.connectAccount() });
    const id = await service.addGeneration();
    const strip = ({ status, body }: { status: number; body: Problem }) => ({
      ...body,
      answered: status,
      request_id: '',
    });
    for (const path of [`/v1/generations/${id}`, `/v1/generations/${id}?wait=1`]) {
      const foreign = await service.refusal(path, { key: stranger });
      const unknown = await service.refusal(path.replace(id, `gen_${'0'.repeat(26)}`), { key: stranger });
      assertProblem(foreign, 'not_found', path);
      assert.deepEqual(strip(foreign), strip(unknown));
    }
    assertProblem(
      await service.ask(`/v1/generations/${id}/cancel`, { key: stranger, method: 'POST' }),
      'not_found',
      'cancel',
    );
  });
});

describe('beside the API', () => {
  let service: TestService;
  before(async () => (service = await startTestService()));
  after(() => service[Symbol.asyncDispose]());

  test('health, metrics and documents need no key', async () => {
    assert.deepEqual((await service.ask('/healthz')).body, { status: 'ok' });
    const ready = await service.ask('/readyz');
    assert.deepEqual([ready.status, ready.body['status'], ready.body['database']], [200, 'ready', 'ok']);
    await service.ask('/v1/generations', { key: await service.createKey() });
    const metrics = await service.ask('/metrics');
    assert.match(
      metrics.text,
      /renderkit_request_seconds_count\{operation="listGenerations",status="200"\} 1/,
    );
    assert.match(metrics.text, /renderkit_queued_generations\{lane="image"\} 0/);
    assert.match(metrics.text, /renderkit_loop_rounds\{loop="last use of keys"\} \d+/);
    assert.match(metrics.text, /renderkit_loop_failures\{loop="last use of keys"\} 0/);
    assert.match(metrics.text, /renderkit_loop_seconds_since_good_round\{loop="last use of keys"\} \d/);
    const openapi = await service.ask<{ openapi: string }>('/openapi.json');
    assert.equal(openapi.body.openapi, '3.1.0');
    assert.match((await service.ask('/')).text, /openapi\.json/);
  });

  test('every type link of a problem leads to an anchor of a page that loads nothing', async () => {
    const { headers, text } = await service.ask('/docs/errors');
    for (const code of problemCodeNames) assert.ok(text.includes(`<section id="${code}">`), code);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'self'/);
    assert.doesNotMatch(text, /<script|https?:\/\//);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });

  test('metrics are for this machine alone, or for the holder of the token', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'via'])
      assertProblem(await service.ask('/metrics', { headers: { [name]: 'for=1.2.3.4' } }), 'not_found', name);
    await using guarded = await startTestService({ config: { metricsToken: 'a token' } });
    assertProblem(await guarded.ask('/metrics'), 'not_found', 'no token');
    assertProblem(
      await guarded.ask('/metrics', { headers: { authorization: 'Bearer another' } }),
      'not_found',
      'wrong',
    );
    assert.equal(
      (await guarded.ask('/metrics', { headers: { authorization: 'Bearer a token' } })).status,
      200,
    );
  });

  test('with the database away a request fails with 500 and Retry-After, and readiness says why', async () => {
    await using proxy = await startTcpProxy(service.databaseUrl);
    await using far = await service.startAnother({}, { databaseUrl: proxy.url });
    const key = await service.createKey();
    assert.equal((await askAt(far.url, '/v1/generations', { key })).status, 200);
    proxy.cut();
    const answer = await askAt<Problem>(far.url, '/v1/generations', { key });
    assertProblem(answer, 'internal_error', 'no database');
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    assert.doesNotMatch(answer.text, /database|postgres|connection|ECONN/i);
    const healthOf = async (path: string) => (await askAt(far.url, path)).status;
    assert.deepEqual([await healthOf('/readyz'), await healthOf('/healthz')], [503, 200]);
    proxy.mend();
    assert.equal((await askAt(far.url, '/v1/generations', { key })).status, 200);
    assert.ok(service.logged.some((line) => line.includes(answer.body.request_id)));
  });

  test('a clock that is off shows as degraded', async () => {
    const { createReadinessCheck } = await import('../src/health/readiness.ts');
    const check = createReadinessCheck({
      database: service.database,
      missingParts: async () => [],
      now: () => Date.now() + 6_000,
    });
    const { status, clock_skew_seconds: skew } = await check();
    assert.equal(status, 'degraded');
    assert.ok(skew !== null && skew > 5 && skew < 7);
  });
});
