import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Account } from '@renderkit/contract/v1/schemas/account.ts';
import type { Estimate } from '@renderkit/contract/v1/schemas/estimate.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import { askChild, type RealStudio, startRealStudio } from './real-studio.ts';

let real: RealStudio;
let service: Part;
let other: Part;
before(async () => {
  real = await startRealStudio();
  [service, other] = await Promise.all([real.startService(), real.startService()]);
});
after(async () => {
  await Promise.all([service[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
  await real[Symbol.asyncDispose]();
});

const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) =>
  status < 300 ? 'fine' : String(body['code']);

test('an account of the studio is read, and what it is told to be shows at once', async () => {
  const { email, key } = await real.newAccount('reader@example.org', '--tier', 'plus', '--credits', '12.5');
  const { body: account } = await askChild<Account>(service, '/v1/account', { key });
  assert.deepEqual([account.email, account.tier?.key, account.credits?.balance], [email, 'plus', 12.5]);
  const { body: limits } = await askChild<{ overall: object; image: object }>(service, '/v1/account/limits', {
    key,
  });
  assert.deepEqual(limits.overall, { limit: 4, running: 0 });
  assert.deepEqual(limits.image, { limit: 2, running: 0, queued: 0 });

  const night = { kind: 'image', model: 'nocturne-1', prompt: 'a moonlit shore' };
  const estimate = () => askChild(service, '/v1/estimate', { key, body: night });
  assert.equal(codeOf(await estimate()), 'tier_required');
  await real.operator('account', 'set', '--email', email, '--tier', 'pro');
  assert.equal(codeOf(await estimate()), 'forbidden');
  await real.operator('account', 'set', '--email', email, '--age-verified', 'true', '--suspended', 'true');
  const { body } = await askChild<Estimate>(service, '/v1/estimate', { key, body: night });
  assert.deepEqual([body.credits, body.balance, body.sufficient, body.outputs], [8, 12.5, true, 1]);
});

test('models, styles, suggestions and projects come from the studio', async () => {
  const { key } = await real.newAccount('catalog@example.org');
  const { body: models } = await askChild<{ data: Model[] }>(service, '/v1/models?suite=image', { key });
  assert.ok(models.data.length >= 2);
  assert.ok(models.data.every(({ tiers }) => tiers.length === 0 || tiers.includes('free')));
  const { body: figures } = await askChild<Model>(service, '/v1/models/character%2Ffigures', { key });
  assert.equal(figures.id, 'character/figures');
  for (const route of ['/v1/styles', '/v1/suggestions?suite=image'])
    assert.ok((await askChild<{ data: object[] }>(service, route, { key })).body.data.length > 0);
  const { body: made, status } = await askChild(service, '/v1/projects', {
    key,
    body: { title: 'Autumn posters' },
  });
  assert.equal(status, 201);
  const { body: found } = await askChild(service, `/v1/projects/${String(made['id'])}`, { key });
  assert.deepEqual(found, made);
  const { body: stranger } = await real
    .newAccount('stranger@example.org')
    .then((one) => askChild(service, `/v1/projects/${String(made['id'])}`, { key: one.key }));
  assert.equal(stranger['code'], 'not_found');
  const list = await askChild<{ data: { id: string }[] }>(service, '/v1/projects?search=autumn', { key });
  assert.deepEqual(
    list.body.data.map(({ id }) => id),
    [made['id']],
  );
  const unknown = {
    kind: 'image',
    prompt: 'a boat',
    project_id: 'prj_nobody',
    reference_images: ['lib_nobody'],
  };
  const { body: refused } = await askChild<{ errors: { field: string }[] }>(service, '/v1/estimate', {
    key,
    body: unknown,
  });
  assert.deepEqual(refused.errors.map(({ field }) => field).sort(), ['project_id', 'reference_images[0]']);
});

/** Makes the stored access token expire now. */
async function expire(email: string): Promise<void> {
  await real.database.rows(
    `update connections set access_expires_at = clock() from accounts a where a.id = account_id and a.email = $1`,
    [email],
  );
}

async function connectionOf(email: string) {
  const rows = await real.database.rows<{ version: number; status: string }>(
    'select version, status from connections join accounts a on a.id = account_id where a.email = $1',
    [email],
  );
  assert.ok(rows[0]);
  return rows[0];
}

test('two processes whose token runs out refresh it once, round after round', async () => {
  const { email, key } = await real.newAccount('two@example.org');
  for (let round = 1; round <= 2; round++) {
    // New processes have no cached token.
    await using one = await real.startService();
    await using two = await real.startService();
    await expire(email);
    const answers = await Promise.all(
      [one, two, one, two, one, two].map((asked) => askChild(asked, '/v1/account/balance', { key })),
    );
    assert.deepEqual(
      answers.map(codeOf),
      Array.from({ length: 6 }, () => 'fine'),
    );
    assert.deepEqual(await connectionOf(email), { version: round + 1, status: 'live' });
  }
});

test('a process killed between the answer and the commit of a refresh logs nobody out', async () => {
  const { email, key } = await real.newAccount('killed@example.org');
  await using doomed = await real.startService({ crashPoint: 'refresh-answered' });
  await expire(email);
  await assert.rejects(askChild(doomed, '/v1/account/balance', { key }));
  await doomed.ended;
  await using next = await real.startService();
  assert.equal(codeOf(await askChild(next, '/v1/account/balance', { key })), 'fine');
  assert.equal((await connectionOf(email)).status, 'live');
});

test('an ended session is connection_expired on every process, until it is connected again', async () => {
  const { email, key } = await real.newAccount('ended@example.org');
  const every = async () => {
    const codes: string[] = [];
    for (const one of [service, other])
      for (const route of ['/v1/account', '/v1/models', '/v1/styles', '/v1/projects'])
        codes.push(codeOf(await askChild(one, route, { key })));
    return new Set(codes);
  };
  assert.deepEqual(await every(), new Set(['fine']));
  await real.operator('account', 'end-session', '--email', email);
  assert.deepEqual(await every(), new Set(['connection_expired']));
  assert.equal((await connectionOf(email)).status, 'ended');
  await real.operator('account', 'connect', '--email', email);
  assert.deepEqual(await every(), new Set(['fine']));
});

test('maintenance is told with the time to wait, and is over when it is over', async () => {
  const { key } = await real.newAccount('patient@example.org');
  await real.operator('studio', 'maintenance', 'on');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const answer = await askChild(service, '/v1/account', { key });
  await real.operator('studio', 'maintenance', 'off');
  assert.equal(codeOf(answer), 'upstream_unavailable');
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal(codeOf(await askChild(service, '/v1/account', { key })), 'fine');
});
