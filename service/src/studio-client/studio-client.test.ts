import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import type { Scripted } from '../../test/scripted-studio.ts';
import { clientOf, startUpstream } from '../../test/upstream-fixture.ts';
import { StudioFailure, type StudioFailureKind } from './studio-failure.ts';
import { translateStudioFailure } from './translate-error.ts';

// Tests a broken or hostile studio (T29): every call ends within its limits, with an error that names the cause.

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('service');
});
after(async () => {
  await db[Symbol.asyncDispose]();
});

async function failureOf(work: Promise<unknown>): Promise<StudioFailure> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof StudioFailure, `it did not fail as a call to the studio does: ${String(error)}`);
  return error;
}

const balance = {
  monthly_millicredits: 1,
  lifetime_millicredits: 2,
  allowance_millicredits: null,
  next_refill: null,
  ledger_seq: 0,
  catalog_version: 'v1',
  plan: null,
};
const error = (status: number, code: string, extra: object = {}): Scripted => ({
  status,
  json: { code, message: 'the raw text of the studio', ...extra },
});

const answers: [string, Scripted, StudioFailureKind, string, number | undefined][] = [
  ['a page of HTML', { text: '<html>sorry</html>' }, 'nonsense', 'upstream_error', undefined],
  ['an HTML error', { status: 500, text: '<html>sorry</html>' }, 'nonsense', 'upstream_error', undefined],
  ['nothing at all', { text: '' }, 'nonsense', 'upstream_error', undefined],
  ['junk', { json: { junk: true } }, 'nonsense', 'upstream_error', undefined],
  ['null', { json: null }, 'nonsense', 'upstream_error', undefined],
  ['a list', { json: [balance] }, 'nonsense', 'upstream_error', undefined],
  ['a million brackets', { text: '['.repeat(1_000_000) }, 'nonsense', 'upstream_error', undefined],
  [
    'negative credits',
    { json: { ...balance, monthly_millicredits: -1 } },
    'nonsense',
    'upstream_error',
    undefined,
  ],
  [
    'credits in fractions',
    { json: { ...balance, monthly_millicredits: 0.5 } },
    'nonsense',
    'upstream_error',
    undefined,
  ],
  ['NaN', { text: JSON.stringify(balance).replace(':1,', ':NaN,') }, 'nonsense', 'upstream_error', undefined],
  [
    'infinity',
    { text: JSON.stringify(balance).replace(':1,', ':1e999,') },
    'nonsense',
    'upstream_error',
    undefined,
  ],
  ['credits as text', { json: { ...balance, ledger_seq: '0' } }, 'nonsense', 'upstream_error', undefined],
  [
    'a redirect',
    { status: 302, headers: { location: 'http://127.0.0.1:1/' }, text: '' },
    'nonsense',
    'upstream_error',
    undefined,
  ],
  ['304 to a call without a tag', { status: 304, text: '' }, 'nonsense', 'upstream_error', undefined],
  [
    'headers without end',
    { headers: { 'x-flood': 'x'.repeat(60_000) }, json: balance },
    'nonsense',
    'upstream_error',
    undefined,
  ],
  ['204', { status: 204, text: '' }, 'nonsense', 'upstream_error', undefined],
  ['a code that nobody knows', error(418, 'teapot'), 'nonsense', 'upstream_error', undefined],
  ['a code with the wrong status', error(400, 'not_found'), 'nonsense', 'upstream_error', undefined],
  ['a code that every object has', error(400, 'toString'), 'nonsense', 'upstream_error', undefined],
  ['its own error', error(500, 'internal_error'), 'nonsense', 'upstream_error', undefined],
  ['maintenance', error(503, 'maintenance', { retry_after: 30 }), 'unavailable', 'upstream_unavailable', 30],
  ['overload', error(503, 'overloaded'), 'unavailable', 'upstream_unavailable', 5],
  [
    'a gateway before it',
    { status: 502, text: '<html>bad gateway</html>' },
    'unavailable',
    'upstream_unavailable',
    5,
  ],
  [
    'Retry-After as a header',
    { status: 503, headers: { 'retry-after': '17' }, text: '' },
    'unavailable',
    'upstream_unavailable',
    17,
  ],
  ['too many calls', error(429, 'rate_limited', { retry_after: 9 }), 'rate_limited', 'rate_limited', 9],
  ['a refusal of the account', error(403, 'forbidden'), 'refused', 'forbidden', undefined],
  ['an id that is not there', error(404, 'not_found'), 'refused', 'not_found', undefined],
  ['a refusal of our form', error(400, 'invalid_request'), 'refused', 'upstream_error', undefined],
  ['a token refused for ever', error(401, 'invalid_token'), 'nonsense', 'upstream_error', undefined],
];

test('each way to answer badly becomes one kind of failure and one code, and never reveals its text', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  for (const [what, answer, kind, code, retryAfter] of answers) {
    studio.script('getBalance', answer);
    const failure = await failureOf(client.call('getBalance', { accountId }));
    assert.equal(failure.kind, kind, what);
    assert.equal(failure.maybeSent, true, what);
    const problem = translateStudioFailure(failure);
    assert.equal(problem.code, code, what);
    assert.equal(problem.retryAfterSeconds, retryAfter, what);
    assert.ok(!problem.message.includes('raw text'), what);
  }
  studio.script('getBalance', error(503, 'maintenance'));
  assert.equal((await failureOf(client.call('getBalance', { accountId }))).studioCode, 'maintenance');
  studio.script('getBalance', { status: 503, text: '<html>' });
  assert.equal((await failureOf(client.call('getBalance', { accountId }))).studioCode, undefined);
  studio.script('getBalance', { json: balance });
  assert.deepEqual(await client.call('getBalance', { accountId }), balance);
});

test('an answer of ten megabytes is not read to its end', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  let written = 0;
  studio.script('getBalance', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (written < 10_000_000 && response.writable) {
        written += 65_536;
        if (!response.write(' '.repeat(65_536))) return;
      }
      response.end('{}');
    };
    response.on('drain', more);
    response.on('error', () => {});
    more();
  });
  const failure = await failureOf(client.call('getBalance', { accountId }));
  assert.equal(failure.kind, 'nonsense');
  assert.ok(written < 9_000_000, `${written} bytes were read`);
});

test('silence, slowness and an answer that never ends are time-outs', async () => {
  await using upstream = await startUpstream(db.database, { timeoutMs: 300 });
  const { studio, client, accountId } = upstream;
  const silent: Scripted = () => {};
  const halfway: Scripted = (_request, response) => {
    response.writeHead(200);
    response.write('{"monthly');
  };
  const slow: Scripted = (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  };
  for (const answer of [silent, halfway, slow]) {
    studio.script('getBalance', answer);
    const began = performance.now();
    const failure = await failureOf(client.call('getBalance', { accountId }));
    assert.equal(failure.kind, 'timeout');
    assert.equal(translateStudioFailure(failure).code, 'upstream_unavailable');
    assert.ok(performance.now() - began < 2_000);
  }
});

test('a connection cut in the middle is unavailable, an answer that is no HTTP nonsense', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  studio.script('getBalance', (request) => void request.socket.destroy());
  const cut = await failureOf(client.call('getBalance', { accountId }));
  assert.deepEqual([cut.kind, cut.maybeSent], ['unavailable', true]);
  studio.script('getBalance', (request) => void request.socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n'));
  assert.equal((await failureOf(client.call('getBalance', { accountId }))).kind, 'nonsense');
});

test('an open connection that the studio closed is replaced without anybody noticing', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  studio.scriptOnce('getBalance', (request) => void request.socket.destroy());
  assert.equal((await client.call('getBalance', { accountId })).ledger_seq, studio.balance.ledger_seq);
  studio.scriptOnce('createProject', (request) => void request.socket.destroy());
  const failure = await failureOf(client.call('createProject', { accountId, body: { title: 'Once' } }));
  assert.equal(failure.kind, 'unavailable', 'what is not repeatable is sent once');
});

test('a studio that is not there was sent nothing', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  await client.call('getBalance', { accountId });
  await studio[Symbol.asyncDispose]();
  const failure = await failureOf(client.call('getBalance', { accountId }));
  assert.deepEqual([failure.kind, failure.maybeSent], ['unavailable', false]);
  const other = clientOf(db.database, studio.url);
  const first = await failureOf(other.call('getMetadata', {}));
  assert.deepEqual([first.kind, first.maybeSent], ['unavailable', false]);
  await other[Symbol.asyncDispose]();
});

test('a studio that dies over a call may have taken it', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  await client.call('getBalance', { accountId });
  studio.script('getBalance', () => void studio[Symbol.asyncDispose]());
  const failure = await failureOf(client.call('getBalance', { accountId }));
  assert.deepEqual([failure.kind, failure.maybeSent], ['unavailable', true]);
});

test('answers about something else than was asked are nonsense', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  const render = {
    token: 'gen_other',
    render_id: 'r',
    kind: 'image',
    status: 'succeeded',
    prompt_id: 'p',
    project_id: 'prj',
    cost_millicredits: 1,
    ledger_seq: 1,
    expected_outputs: 1,
    outputs: [],
    error: null,
    accepted_at: '2026-11-21T09:30:00.000Z',
    completed_at: null,
  };
  const output = {
    id: 'o',
    type: 'image',
    url: `${studio.url}/media/a.png`,
    thumb_url: null,
    width: 1,
    height: 1,
    duration: null,
    nsfw: false,
    request_id: null,
  };
  const token = 'gen_asked';
  const asked = { ...render, token };
  const withOutput = (changes: object) => ({ ...asked, outputs: [{ ...output, ...changes }] });
  const getRender = () => client.call('getRender', { accountId, params: { token } });
  const lookUp = () => client.call('lookUpRenders', { accountId, body: { tokens: [token] } });

  studio.script('getRender', { json: withOutput({}) });
  assert.equal((await getRender()).token, token);
  studio.script('getRender', { json: withOutput({ url: 'https://cdn.example/a.png' }) });
  assert.equal((await getRender()).token, token);
  const wrong = [
    render,
    withOutput({ url: 'http://elsewhere.example/a.png' }),
    withOutput({ url: 'javascript:alert(1)' }),
    withOutput({ url: '/media/a.png' }),
    withOutput({ url: 'https://user:pass@cdn.example/a.png' }),
    withOutput({ thumb_url: 'file:///etc/passwd' }),
    { ...asked, status: 'unheard-of' },
  ];
  for (const json of wrong) {
    studio.script('getRender', { json });
    assert.equal((await failureOf(getRender())).kind, 'nonsense', JSON.stringify(json));
    assert.throws(() => client.readRender({ ...json, token: 1 }), StudioFailure);
  }
  for (const renders of [[render], [asked, asked]]) {
    studio.script('lookUpRenders', { json: { renders, ledger_seq: 1 } });
    assert.equal((await failureOf(lookUp())).kind, 'nonsense');
  }
  studio.script('lookUpRenders', { json: { renders: [asked], ledger_seq: 1 } });
  assert.equal((await lookUp()).renders.length, 1);
  studio.script('getAccount', { json: { ...studio.account, id: 'somebody else' } });
  assert.equal((await failureOf(client.call('getAccount', { accountId }))).kind, 'nonsense');
  studio.script('getProject', { json: { id: 'b', title: 'B', updated_at: null, last_generation: null } });
  assert.equal(
    (await failureOf(client.call('getProject', { accountId, params: { id: 'a' } }))).kind,
    'nonsense',
  );
});

test('eight calls of an account are under way at once, the others wait in order', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  await client.call('getBalance', { accountId });
  let underWay = 0;
  let most = 0;
  const arrived: string[] = [];
  studio.script('getProject', (request, response) => {
    most = Math.max(most, ++underWay);
    arrived.push(request.url?.split('/').at(-1) ?? '');
    setTimeout(() => {
      underWay--;
      response.end(
        JSON.stringify({
          id: request.url?.split('/').at(-1),
          title: 'A',
          updated_at: null,
          last_generation: null,
        }),
      );
    }, 20);
  });
  const ids = Array.from({ length: 40 }, (_, i) => `p${i}`);
  await Promise.all(ids.map((id) => client.call('getProject', { accountId, params: { id } })));
  assert.equal(most, 8);
  assert.deepEqual([...arrived].sort(), [...ids].sort());
  // Each call starts after all but seven of the calls before it have returned.
  for (const [at, id] of arrived.entries()) assert.ok(ids.indexOf(id) <= at + 7, `${id} came as ${at}`);
});

test('a limit of two seconds or less is waited out once, a longer one is passed on', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  await client.call('getBalance', { accountId });
  studio.scriptOnce('getBalance', error(429, 'rate_limited', { retry_after: 1 }));
  const began = performance.now();
  await client.call('getBalance', { accountId });
  const waited = performance.now() - began;
  assert.ok(waited >= 900 && waited < 3_000, `${waited} ms`);

  studio.scriptOnce('getBalance', error(429, 'rate_limited', { retry_after: 1 }));
  studio.scriptOnce('getBalance', error(429, 'rate_limited', { retry_after: 1 }));
  assert.equal((await failureOf(client.call('getBalance', { accountId }))).kind, 'rate_limited');

  studio.scriptOnce('getBalance', error(429, 'rate_limited', { retry_after: 60 }));
  const failure = await failureOf(client.call('getBalance', { accountId }));
  assert.deepEqual([failure.kind, failure.retryAfterSeconds], ['rate_limited', 60]);
});

test('the client is named by its form-encoded id and secret on calls of its own', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client } = upstream;
  studio.script('readChanges', { json: { accounts: [] } });
  await client.call('readChanges', { body: { accounts: [{ account: 'a', cursor: 0 }], wait_seconds: 0 } });
  const { authorization = '' } = studio.seen.find(({ operation }) => operation === 'readChanges') ?? {};
  assert.equal(
    Buffer.from(authorization.replace('Basic ', ''), 'base64').toString(),
    'service:a+secret%3A+with+%2B+and+%25',
  );
});

test('a call that is given up ends at once', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio, client, accountId } = upstream;
  studio.script('getBalance', () => {});
  const began = performance.now();
  const signal = AbortSignal.timeout(100);
  assert.equal((await failureOf(client.call('getBalance', { accountId, signal }))).kind, 'unavailable');
  assert.ok(performance.now() - began < 1_500);
});
