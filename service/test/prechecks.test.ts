import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordStatements } from '@renderkit/server-kit/testing/record-statements.ts';
import { type Answer, startTestService, type TestService } from './harness.ts';
import { scriptRenders } from './scripted-renders.ts';

let service: TestService;
/** Runs once, between the quote and the accept of the next create. */
let meanwhile: (() => Promise<unknown>) | undefined;
before(async () => {
  service = await startTestService({
    crashPoint: async (name) => {
      if (name !== 'create-quoted') return;
      const work = meanwhile;
      meanwhile = undefined;
      await work?.();
    },
  });
  scriptRenders(service.studio);
  Object.assign(service.studio.balance, { monthly_millicredits: 0, lifetime_millicredits: 1_000_000 });
});
after(async () => service[Symbol.asyncDispose]());

const price = 4_000;
const setBudgets = (millicredits: number | null) =>
  service.database.execute('update api_keys set daily_budget_millicredits = $1', [millicredits]);

async function keyWith(budget: number | null): Promise<string> {
  const key = await service.createKey();
  await setBudgets(budget);
  return key;
}

const create = (key: string, headers: Record<string, string> = {}, body: object = { prompt: 'a harbor' }) =>
  service.ask<{ code?: string }>('/v1/images/generations', { key, body, headers });
const told = ({ status, body }: Answer<{ code?: string }>) => [status, body.code];

test('a create looks for what is known before only where something may be', async () => {
  const [admitted, looked, accepted] = ['admission_count', 'generations_precheck', 'generations_accept'];
  const tables: [budget: number | null, headers: Record<string, string>, statements: unknown[]][] = [
    [null, {}, [admitted, accepted]],
    [1_000_000, {}, [admitted, looked, accepted]],
    [null, { 'idempotency-key': 'one' }, [admitted, looked, accepted]],
    [null, { 'idempotency-key': 'one' }, [admitted, looked]],
    [1_000_000, { 'idempotency-key': 'two' }, [admitted, looked, accepted]],
  ];
  for (const [budget, headers, expected] of tables) {
    const key = await keyWith(budget);
    using statements = recordStatements(service.databaseUrl);
    assert.equal((await create(key, headers)).status, 202);
    const sent = statements.take().filter((name) => /^admission_count|precheck|accept/.test(name));
    assert.deepEqual(sent, expected, JSON.stringify([budget, headers]));
  }
});

test('a budget refuses after the Idempotency-Key and the model, and before the studio is asked', async (t) => {
  const { studio } = service;
  t.after(() => (studio.refusesQuotes = null));
  const key = await keyWith(null);
  const known = { 'idempotency-key': 'known' };
  assert.equal((await create(key, known)).status, 202);
  await setBudgets(2 * price - 1);
  studio.refusesQuotes = { code: 'moderation_blocked', message: 'no' };
  const quotes = () => studio.seen.filter(({ operation }) => /quotes/i.test(operation)).length;
  const asked = quotes();
  assert.deepEqual(told(await create(key, known)), [202, undefined]);
  assert.deepEqual(told(await create(key, known, { prompt: 'another' })), [409, 'conflict']);
  assert.deepEqual(told(await create(key, {}, { prompt: 'a', model: 'none' })), [400, 'invalid_request']);
  assert.deepEqual(told(await create(key)), [403, 'budget_exceeded']);
  assert.deepEqual(told(await create(key, { 'idempotency-key': 'new' })), [403, 'budget_exceeded']);
  assert.equal(quotes(), asked);
  await setBudgets(2 * price);
  assert.deepEqual(told(await create(key)), [422, 'moderation_blocked']);
});

test('a budget that a key is given while its create is under way holds, and comes before the credits', async () => {
  const { balance } = service.studio;
  const key = await keyWith(null);
  balance.lifetime_millicredits = 0;
  balance.ledger_seq += 1_000;
  meanwhile = () => setBudgets(price - 1);
  assert.deepEqual(told(await create(key)), [403, 'budget_exceeded']);
  await setBudgets(null);
  assert.deepEqual(told(await create(key)), [402, 'insufficient_credits']);
});
