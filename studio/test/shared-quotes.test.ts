import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { recordStatements } from '@renderkit/server-kit/testing/record-statements.ts';
import { setFault, setMaintenance } from '@renderkit/studio/operator.ts';
import { basic, request, startTestStudio, type TestAccount, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(async () => studio[Symbol.asyncDispose]());

type Question = { account: string; access_token: string; request: RenderRequest; moderate: boolean };

const questionOf = (
  { id, accessToken }: TestAccount,
  more: Partial<RenderRequest> = {},
  moderate = true,
): Question => ({ account: id, access_token: accessToken, request: request(more), moderate });

async function post(quotes: Question[], authorization = basic()): Promise<Response> {
  return fetch(`${studio.url}/api/shared-quotes`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ quotes }),
  });
}

async function ask(quotes: Question[]): Promise<StudioAnswer<'createSharedQuotes'>['results']> {
  const answer = await post(quotes);
  assert.equal(answer.status, 200, await answer.clone().text());
  return ((await answer.json()) as StudioAnswer<'createSharedQuotes'>).results;
}

test('a shared call answers each question as its account would be answered', async () => {
  const [one, other] = await Promise.all([studio.connect({ tier: 'pro' }), studio.connect({ tier: 'free' })]);
  const questions = [
    questionOf(one),
    questionOf(other, { model: 'prism-1' }),
    questionOf(one, { project_id: 'prj_none' }),
    questionOf(other, {}, false),
  ];
  const shared = await ask(questions);
  const alone = [
    await one.quote(),
    await other.quote({ model: 'prism-1' }),
    await one.quote({ project_id: 'prj_none' }),
    await other.quote({}, false),
  ];
  // Quotes differ because each contains its expiry.
  const withoutQuote = (results: typeof shared) =>
    results.map((result) => ({ ...result, quote: typeof result?.quote }));
  assert.deepEqual(withoutQuote(shared), withoutQuote(alone));
});

test('a quote of a shared call is taken at submit, and by no other account', async () => {
  const [one, other] = await Promise.all([studio.connect(), studio.connect()]);
  const [result] = await ask([questionOf(one)]);
  const submit = (account: TestAccount) =>
    account.call<StudioAnswer<'submitRender'>>('PUT', `/api/renders/gen_of_${account.id}`, {
      quote: result?.quote,
      request: request(),
    });
  const foreign = (await submit(other)).body;
  assert.equal(foreign.outcome === 'refused' && foreign.refusal.code, 'quote_invalid');
  assert.equal((await submit(one)).body.outcome, 'accepted');
});

test('a token serves for its own account alone, and a wrong one costs the others nothing', async () => {
  const [one, other] = await Promise.all([studio.connect(), studio.connect()]);
  const results = await ask([
    { ...questionOf(one), access_token: other.accessToken },
    { ...questionOf(other), access_token: 'a-token-that-nobody-was-given' },
    questionOf(one),
  ]);
  assert.deepEqual(
    results.map((result) => typeof result?.quote),
    ['undefined', 'undefined', 'string'],
  );
});

test('a shared call is for the client alone', async () => {
  const account = await studio.connect();
  for (const authorization of ['', `Bearer ${account.accessToken}`, `Basic ${btoa('service:wrong')}`])
    assert.equal((await post([questionOf(account)], authorization)).status, 401);
});

test('an account with a fault, or whose credits are to be renewed, asks by itself', async () => {
  const [faulty, due, fine] = await Promise.all([studio.connect(), studio.connect(), studio.connect()]);
  await setFault(studio.database, faulty.email, 'silence');
  await studio.database.rows(
    `update accounts set next_refill_at = clock() - interval '1 second' where id = $1`,
    [due.id],
  );
  const results = await ask([questionOf(faulty), questionOf(due), questionOf(fine)]);
  assert.deepEqual(
    results.map((result) => typeof result?.quote),
    ['undefined', 'undefined', 'string'],
  );
});

test('a shared call finds out about maintenance with its bearers, and asks nothing more', async () => {
  const [one, other] = await Promise.all([studio.connect(), studio.connect()]);
  using statements = recordStatements(studio.databaseUrl);
  await ask([questionOf(one), questionOf(other)]);
  const looks = statements.take().filter((name) => /bearer|maintenance/.test(name));
  assert.deepEqual(looks, ['find_bearers']);
});

test('under maintenance a shared call is told so before anything else that is wrong with it', async (t) => {
  t.after(() => setMaintenance(studio.database, false));
  const account = await studio.connect();
  const question = JSON.stringify({ quotes: [questionOf(account)] });
  const unknown = JSON.stringify({
    quotes: [{ ...questionOf(account), access_token: 'nobody-was-given-it' }],
  });
  const json = 'application/json';
  const wrong = `Basic ${btoa('service:wrong')}`;
  const calls: [status: number, authorization: string, contentType: string, body: string][] = [
    [200, basic(), json, question],
    [200, basic(), json, unknown],
    [401, wrong, json, question],
    [401, wrong, json, '{'],
    [400, basic(), json, '{'],
    [400, basic(), json, '{"quotes":[]}'],
    [400, basic(), 'text/plain', question],
    [413, basic(), json, ' '.repeat(9 * 1024 * 1024)],
  ];
  for (const maintenance of [false, true]) {
    await setMaintenance(studio.database, maintenance);
    for (const [status, authorization, contentType, body] of calls) {
      const answer = await fetch(`${studio.url}/api/shared-quotes`, {
        method: 'POST',
        headers: { authorization, 'content-type': contentType },
        body,
      });
      const { code } = (await answer.json()) as { code?: string };
      const expected = maintenance ? [503, 'maintenance', '30'] : [status, code, null];
      assert.deepEqual([answer.status, code, answer.headers.get('retry-after')], expected, body.slice(0, 40));
    }
  }
});
