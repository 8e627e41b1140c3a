import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { RenderRequest, SharedQuotesRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { connect, startUpstream, type Upstream } from '../../test/upstream-fixture.ts';
import { QuoteBatcher } from './quote-batcher.ts';

let db: TestDatabase;
let upstream: Upstream;
before(async () => {
  db = await createTestDatabase('service');
  upstream = await startUpstream(db.database);
});
after(async () => {
  await upstream[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
beforeEach(() => {
  upstream.studio.sharesQuotes = true;
  upstream.studio.script('createSharedQuotes', undefined);
});

const requestOf = (model = upstream.studio.catalog.models[0]?.id ?? ''): RenderRequest => ({
  kind: 'image',
  model,
  project_id: null,
  prompt: 'a boat',
  styles: [],
  suggestions: [],
  options: {},
  reference_images: [],
});

/**
 * Returns a batcher that has already read what the studio offers, and the calls for quotes that reach the studio
 * afterwards.
 */
async function startBatcher() {
  const { studio, client, accountId } = upstream;
  const batcher = new QuoteBatcher(client);
  const ask = (account = accountId) => batcher.quote(account, requestOf(), { moderate: true });
  const calls = () =>
    studio.seen.filter(({ operation }) => operation.endsWith('Quotes')).map(({ operation }) => operation);
  studio.seen.length = 0;
  // The batcher asks in the background what the studio offers.
  const awaited = studio.sharesQuotes ? 'createSharedQuotes' : 'getMetadata';
  while (!studio.seen.some(({ operation }) => operation === awaited)) await ask();
  studio.seen.length = 0;
  return { ask, calls };
}

async function connectAnother(id: string): Promise<string> {
  const { studio } = upstream;
  const { account } = studio;
  studio.account = { ...account, id };
  const { accountId } = await connect(db.database, studio);
  studio.account = account;
  return accountId;
}

test('quotes of two accounts share a call, each with its own name and token', async () => {
  const { studio, accountId } = upstream;
  const other = await connectAnother('acc_other');
  const { ask, calls } = await startBatcher();
  // The tokens are cached first, so that both questions are asked in one turn.
  await Promise.all([ask(), ask(other)]);
  studio.seen.length = 0;
  const answers = await Promise.all([ask(), ask(other), ask(accountId)]);
  assert.deepEqual(calls(), ['createSharedQuotes']);
  const [call] = studio.seen;
  const { quotes } = JSON.parse(call?.body ?? '') as SharedQuotesRequest;
  assert.deepEqual(
    quotes.map(({ account }) => account),
    [studio.account.id, 'acc_other', studio.account.id],
  );
  assert.equal(new Set(quotes.map(({ access_token: token }) => token)).size, 2);
  assert.match(call?.authorization ?? '', /^Basic /);
  assert.deepEqual(
    answers.map(({ quote }) => quote),
    ['quote', 'quote', 'quote'],
  );
});

test('a question that is left open is asked by its account, which renews its token', async () => {
  const { ask, calls } = await startBatcher();
  upstream.studio.expireAccessTokens();
  assert.equal((await ask()).quote, 'quote');
  assert.deepEqual(calls(), ['createSharedQuotes', 'createQuotes', 'createQuotes']);
  assert.equal((await ask()).quote, 'quote');
  assert.equal(calls().at(-1), 'createSharedQuotes');
});

test('a studio that does not offer it gets calls of one account', async () => {
  upstream.studio.sharesQuotes = false;
  const { ask, calls } = await startBatcher();
  await Promise.all([ask(), ask()]);
  assert.deepEqual(new Set(calls()), new Set(['createQuotes']));
});

test('where a studio of the release before answers instead, nobody notices', async () => {
  const { ask, calls } = await startBatcher();
  upstream.studio.script('createSharedQuotes', { status: 404, json: { code: 'not_found', message: '' } });
  assert.equal((await ask()).quote, 'quote');
  assert.equal((await ask()).quote, 'quote');
  assert.deepEqual(calls(), ['createSharedQuotes', 'createQuotes', 'createQuotes']);
});

test('a shared call that the studio cannot read does not end sharing', async () => {
  const { ask, calls } = await startBatcher();
  upstream.studio.scriptOnce('createSharedQuotes', {
    status: 400,
    json: { code: 'invalid_request', message: '' },
  });
  await ask();
  await ask();
  assert.deepEqual(calls(), ['createSharedQuotes', 'createQuotes', 'createSharedQuotes']);
});

test('what a shared call was answered without is not asked twice', async () => {
  const { ask, calls } = await startBatcher();
  upstream.studio.script('createSharedQuotes', { status: 503, json: { code: 'maintenance', message: '' } });
  await assert.rejects(ask(), { kind: 'unavailable' });
  assert.deepEqual(calls(), ['createSharedQuotes']);
});
