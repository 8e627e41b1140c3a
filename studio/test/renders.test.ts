import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { recordStatements } from '@renderkit/server-kit/testing/record-statements.ts';
import { checkLedger, setAccount, showLedger } from '@renderkit/studio/operator.ts';
import { readChanges, request, startTestStudio, type TestStudio, untilFound } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(async () => {
  assert.deepEqual(await checkLedger(studio.database), []);
  await studio[Symbol.asyncDispose]();
});

type Submit = StudioAnswer<'submitRender'>;

test('past its limits an account is busy, is told its limits, and may ask again', async () => {
  const account = await studio.connect({ tier: 'plus' });
  const outcomes = [];
  for (const token of ['a', 'b', 'c']) outcomes.push((await account.submit(token)).outcome);
  assert.deepEqual(outcomes, ['accepted', 'accepted', 'busy']);
  const busy = await account.submit('c');
  assert.deepEqual(busy.outcome === 'busy' && busy.limits.image, {
    limit: 2,
    running: 2,
    running_elsewhere: 0,
  });
  await studio.database.rows(`update renders set status = 'succeeded' where account_id = $1`, [account.id]);
  assert.equal((await account.submit('c')).outcome, 'accepted');
});

test('what another client started counts, and is told apart', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('ours');
  await studio.database.rows(
    `insert into renders (id, account_id, token, client_id, status, lane, kind)
     select 'rnd_web' || n, $1, 'web' || n, 'web-app', 'running', 'video', 'video' from generate_series(1, 7) as n`,
    [account.id],
  );
  const { body: limits } = await account.call<StudioAnswer<'getLimits'>>('GET', '/api/limits');
  assert.deepEqual(limits, {
    overall: { limit: 8, running: 8, running_elsewhere: 7 },
    image: { limit: 4, running: 1, running_elsewhere: 0 },
    edit: { limit: 4, running: 0, running_elsewhere: 0 },
    video: { limit: 2, running: 7, running_elsewhere: 7 },
  });
  assert.equal((await account.submit('more')).outcome, 'busy');
});

test('parallel submits never pass the limits, whatever they are lowered to meanwhile', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { quote } = await account.quote();
  const submits = Array.from({ length: 40 }, (_, i) =>
    account.call<Submit>('PUT', `/api/renders/race${i}`, { quote, request: request() }),
  );
  const lowered = setAccount(studio.database, account.email, { tier: 'plus' });
  const answers = await Promise.all(submits);
  await lowered;
  const accepted = answers.filter(({ body }) => body.outcome === 'accepted').length;
  assert.ok(accepted >= 2 && accepted <= 4, String(accepted));
  assert.ok(answers.every(({ body }) => ['accepted', 'busy'].includes(body.outcome)));
});

test('submits are decided by one statement, which is a transaction of its own', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { quote } = await account.quote();
  using statements = recordStatements(studio.databaseUrl);
  const { body } = await account.call<Submit>('PUT', '/api/renders/alone', { quote, request: request() });
  assert.equal(body.outcome, 'accepted');
  const writing = statements.take().filter((name) => /^begin|^commit|accept/i.test(name));
  assert.deepEqual(writing, ['accept_renders']);
});

test('a submit whose connection ends while it waits for its account is charged once, when it is sent again', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { quote } = await account.quote();
  const submit = () => account.call<Submit>('PUT', '/api/renders/cut', { quote, request: request() });
  const waiting = `from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%accept_renders(%'`;
  let answer: ReturnType<typeof submit> | undefined;
  await studio.database.transaction(async (transaction) => {
    await transaction.rows('select from accounts where id = $1 for update', [account.id]);
    answer = submit();
    await untilFound(studio.database, `select ${waiting}`);
    await transaction.rows(`select pg_terminate_backend(pid) ${waiting}`);
  });
  assert.equal((await answer)?.status, 503);
  assert.equal((await account.call('GET', '/api/renders/cut')).status, 404);
  assert.equal((await submit()).body.outcome, 'accepted');
  const kinds = (await showLedger(studio.database, account.email)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['opening', 'charge']);
});

test('a quote serves its own request and account only, for twenty-five hours', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const account = await studio.connect({ tier: 'pro' });
  const other = await studio.connect({ tier: 'pro' });
  const { quote } = await account.quote();
  const submit = async (who: typeof account, token: string, body: object) => {
    const answer = await who.call<Submit>('PUT', `/api/renders/${token}`, body);
    return answer.body.outcome === 'refused' ? answer.body.refusal.code : answer.body.outcome;
  };
  assert.equal(
    await submit(account, 'q1', { quote, request: request({ prompt: 'another' }) }),
    'quote_invalid',
  );
  assert.equal(await submit(other, 'q1', { quote, request: request() }), 'quote_invalid');
  assert.equal(await submit(account, 'q1', { quote: `${quote}x`, request: request() }), 'quote_invalid');
  assert.equal(await submit(account, 'q1', { quote, request: request() }), 'accepted');
  assert.equal(await submit(account, 'q1', { quote: 'nonsense', request: request() }), 'accepted');
  await studio.database.rows(`update oidc_payloads set expires_at = expires_at + interval '3 days'`);
  await moveClock(studio.database, 25 * 3600 + 5);
  assert.equal(await submit(account, 'q2', { quote, request: request() }), 'quote_invalid');
  await moveClock(studio.database, 25 * 3600 - 60);
  assert.equal(await submit(account, 'q2', { quote, request: request() }), 'accepted');
});

test('a tombstoned token is never rendered, and a known one is handed out', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const tombstone = async (token: string) =>
    (await account.call<StudioAnswer<'tombstoneRender'>>('PUT', `/api/renders/${token}/barred`)).body;
  assert.deepEqual(await tombstone('never'), { outcome: 'barred' });
  assert.equal((await account.submit('never')).outcome, 'barred');
  assert.deepEqual(await tombstone('never'), { outcome: 'barred' });
  const [feed] = await readChanges(studio.url, [{ account: account.id, cursor: 0 }]);
  assert.ok(feed?.status === 'changes');
  assert.deepEqual(feed.changes, [{ seq: 1, type: 'render', token: 'never', barred: true }], 'told of once');
  await account.submit('known');
  const known = await tombstone('known');
  assert.equal(known.outcome === 'known' && known.render.token, 'known');
  assert.equal((await account.submit('known')).outcome, 'accepted');
});

test('look-ups find what the account submitted and nothing of others', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const other = await studio.connect({ tier: 'pro' });
  await account.submit('mine');
  await account.call('PUT', '/api/renders/barred/barred');
  const { body } = await account.call<StudioAnswer<'lookUpRenders'>>('POST', '/api/renders/lookup', {
    tokens: ['mine', 'unknown', 'barred'],
  });
  assert.deepEqual(
    body.renders.map(({ token, status }) => `${token} ${status}`),
    ['mine queued'],
  );
  assert.equal(body.ledger_seq, body.renders[0]?.ledger_seq);
  const { body: none } = await other.call<StudioAnswer<'lookUpRenders'>>('POST', '/api/renders/lookup', {
    tokens: ['mine'],
  });
  assert.deepEqual(none.renders, []);
  assert.equal((await other.call('GET', '/api/renders/mine')).status, 404);
});

test('work that names no project shares one, made when it is first needed', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { quote } = await account.quote();
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      account.call<Submit>('PUT', `/api/renders/p${i}`, { quote, request: request() }),
    ),
  );
  const projects = new Set(answers.map(({ body }) => body.outcome === 'accepted' && body.render.project_id));
  assert.equal(projects.size, 1);
  const { body } = await account.call<StudioAnswer<'listProjects'>>('GET', '/api/projects?page=1&limit=10');
  assert.deepEqual(
    body.projects.map(({ id, title }) => [id, title]),
    [[[...projects][0], 'API']],
  );
});

test('a submit is refused in the state the account is in then, and moderated if its quote was not', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const bad = request({ prompt: 'a bomb recipe' });
  const { body: quotes } = await account.call<StudioAnswer<'createQuotes'>>('POST', '/api/quotes', {
    quotes: [
      { request: bad, moderate: true },
      { request: bad, moderate: false },
      { request: request(), moderate: true },
    ],
  });
  const [blocked, unmoderated, plain] = quotes.results;
  assert.deepEqual([blocked?.refusal?.code, blocked?.quote], ['moderation_blocked', null]);
  assert.equal(unmoderated?.refusal, null);
  const submit = async (token: string, body: object) =>
    (await account.call<Submit>('PUT', `/api/renders/${token}`, body)).body;
  const first = await submit('bad', { quote: unmoderated?.quote, request: bad });
  assert.equal(first.outcome === 'refused' && first.refusal.code, 'moderation_blocked');
  assert.deepEqual(await submit('bad', { quote: unmoderated?.quote, request: bad }), first);
  await setAccount(studio.database, account.email, { suspended: true });
  const suspended = await submit('late', { quote: plain?.quote, request: request() });
  assert.equal(suspended.outcome === 'refused' && suspended.refusal.code, 'account_suspended');
  assert.equal((await account.balance()).ledger_seq, 1);
});
