import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exampleModel } from '@renderkit/contract/studio/examples/models.ts';
import type { QuotesRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { startUpstream, type Upstream } from '../../test/upstream-fixture.ts';
import { createAgeVerification } from '../account/age-verification.ts';
import { createCatalogCache } from '../catalog/catalog-cache.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { QuoteBatcher } from './quote-batcher.ts';
import { validateAndPrice, validateAndQuote } from './validate-and-quote.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('service');
});
after(async () => {
  await db[Symbol.asyncDispose]();
});

function start({ client, accountId }: Upstream) {
  const dependencies = {
    database: db.database,
    catalogCache: createCatalogCache(client),
    ageVerified: createAgeVerification(client),
    quotes: new QuoteBatcher(client),
    references: {
      database: db.database,
      sendFile: async () => assert.fail('there is no mask'),
      target: { allow: [] },
    },
  };
  const costs: number[] = [];
  return {
    costs,
    create: (body: object = { prompt: 'a boat' }, budget = Number.POSITIVE_INFINITY) =>
      validateAndQuote(dependencies, {
        accountId,
        kind: 'image',
        body,
        requestId: 'req_test',
        checkBudget: (cost) => {
          costs.push(cost);
          if (cost > budget) throw new ApiProblem('budget_exceeded', { detail: 'too much' });
        },
      }),
    estimate: (body: object = { prompt: 'a boat' }) =>
      validateAndPrice(dependencies, { accountId, kind: 'image', body }),
  };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'fine',
    (error: unknown) => (error instanceof ApiProblem ? error.code : String(error)),
  );
}

const count = ({ studio }: Upstream, operation: string) =>
  studio.seen.filter((seen) => seen.operation === operation).length;

/** Gives the studio another catalog. The studio's balance reports the new version. */
function newVersion({ studio }: Upstream, change: () => void, version = 'v2'): void {
  change();
  studio.catalog.version = version;
  studio.balance.catalog_version = version;
  studio.balance.plan = studio.catalog.plan;
}

test('a request is validated, its cost checked, and quoted', async () => {
  await using upstream = await startUpstream(db.database);
  const { create, costs } = start(upstream);
  const quoted = await create({ prompt: 'a boat', project_id: 'prj_1' });
  assert.equal(quoted.costMillicredits, 4_000);
  assert.deepEqual([quoted.outputs, quoted.lane, quoted.quote], [1, 'image', 'quote']);
  assert.equal(quoted.renderRequest.project_id, 'prj_1');
  assert.equal(quoted.balance.ledger_seq, 3);
  assert.deepEqual(costs, [4_000]);
});

test('requests of one account that come together share calls, two under way at once', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  await create();
  await Promise.all(Array.from({ length: 200 }, (_, i) => create({ prompt: `boat ${i}` })));
  const sizes = upstream.studio.seen
    .filter(({ operation }) => operation === 'createQuotes')
    .map(({ body }) => (JSON.parse(body) as QuotesRequest).quotes.length);
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    201,
  );
  assert.ok(sizes.length <= 6, sizes.join(', '));
  assert.equal(count(upstream, 'getCatalog'), 1);
});

test('a request over budget is refused before anything of it reaches the studio', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  assert.equal(await codeOf(create({ prompt: 'a boat' }, 3_999)), 'budget_exceeded');
  assert.equal(count(upstream, 'createQuotes'), 0);
});

test('a price that changed is read, validated and checked against the budget again, once', async () => {
  await using upstream = await startUpstream(db.database);
  const { create, costs } = start(upstream);
  await create();
  newVersion(
    upstream,
    () => (upstream.studio.catalog.models[0] = exampleModel({ price: { base_millicredits: 5_000 } })),
  );
  assert.equal((await create()).costMillicredits, 5_000);
  assert.deepEqual(costs, [4_000, 4_000, 5_000]);
  newVersion(
    upstream,
    () => (upstream.studio.catalog.models[0] = exampleModel({ price: { base_millicredits: 6_000 } })),
    'v3',
  );
  assert.equal(await codeOf(create({ prompt: 'a boat' }, 5_500)), 'budget_exceeded');
  const quotes = count(upstream, 'createQuotes');
  upstream.studio.balance.catalog_version = 'v4';
  assert.equal(await codeOf(create()), 'fine');
  assert.equal(count(upstream, 'createQuotes'), quotes + 1, 'the same result keeps its quote');
});

test('a studio that never quotes what its catalog lists is nonsense', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  await create();
  upstream.studio.script('createQuotes', {
    json: {
      results: [
        {
          account_state: 'ok',
          unknown_ids: [],
          cost_millicredits: 1,
          outputs: 1,
          balance: upstream.studio.balance,
          refusal: null,
          quote: 'q',
        },
      ],
    },
  });
  assert.equal(await codeOf(create()), 'upstream_error');
  assert.equal(count(upstream, 'createQuotes'), 3);
});

test('a plan that changed either way counts at once', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  const grand = { model: 'grand', prompt: 'a boat' };
  assert.equal(await codeOf(create(grand)), 'tier_required');
  newVersion(upstream, () => (upstream.studio.catalog.plan = 'pro'));
  // A refusal by a catalog that was just confirmed needs no other confirmation, so wait.
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal(await codeOf(create(grand)), 'fine');
  newVersion(upstream, () => (upstream.studio.catalog.plan = 'free'), 'v3');
  assert.equal(await codeOf(create(grand)), 'tier_required');
});

test('a refusal by the catalog stands though the studio is away or the session has ended', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  await create();
  await new Promise((resolve) => setTimeout(resolve, 250));
  upstream.studio.script('getCatalog', { status: 503, text: '' });
  assert.equal(await codeOf(create({ model: 'nobody' })), 'invalid_request');
  upstream.studio.script('getCatalog', undefined);
  upstream.studio.endSessions();
  assert.equal(await codeOf(create({ model: 'nobody' })), 'invalid_request');
  assert.equal(await codeOf(create()), 'connection_expired');
});

test('a studio that keeps silent about its catalog is not waited for long', async () => {
  await using upstream = await startUpstream(db.database, { timeoutMs: 8_000 });
  const { create } = start(upstream);
  await create();
  await new Promise((resolve) => setTimeout(resolve, 250));
  upstream.studio.script('getCatalog', () => {});
  const began = performance.now();
  assert.equal(await codeOf(create({ model: 'nobody' })), 'invalid_request');
  assert.ok(performance.now() - began < 3_000);
});

test('with no catalog at hand, an ended session or an absent studio is told before anything else', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  upstream.studio.script('getCatalog', { status: 503, text: '' });
  assert.equal(await codeOf(create({ model: 'nobody' })), 'upstream_unavailable');
  upstream.studio.script('getCatalog', undefined);
  upstream.studio.endSessions();
  assert.equal(await codeOf(create({ model: 'nobody' })), 'connection_expired');
});

test('a model for adults needs a verified age, and a no is never remembered', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  const night = { model: 'night/adult', prompt: 'a boat' };
  assert.equal(await codeOf(create(night)), 'forbidden');
  upstream.studio.account.age_verified = true;
  assert.equal(await codeOf(create(night)), 'fine');
});

test('credits lacking are told before a refusal, and left to the accept without one', async () => {
  await using upstream = await startUpstream(db.database);
  const { create } = start(upstream);
  const { balance } = upstream.studio;
  const answer = (refusal: object | null) => ({
    json: {
      results: [
        {
          account_state: 'ok',
          unknown_ids: [],
          cost_millicredits: 4_000,
          outputs: 1,
          balance,
          refusal,
          quote: refusal === null ? 'q' : null,
        },
      ],
    },
  });
  const moderated = answer({ code: 'moderation_blocked', message: 'raw' });
  upstream.studio.scriptOnce('createQuotes', moderated);
  assert.equal(await codeOf(create()), 'moderation_blocked');
  balance.monthly_millicredits = 1_000;
  balance.lifetime_millicredits = 2_999;
  upstream.studio.scriptOnce('createQuotes', moderated);
  assert.equal(await codeOf(create()), 'insufficient_credits');
  assert.equal(await codeOf(create()), 'fine');
});

test('an estimate asks for no moderation and has its price and a fresh balance', async () => {
  await using upstream = await startUpstream(db.database);
  const { estimate } = start(upstream);
  const { costMillicredits, outputs, balance } = await estimate();
  assert.deepEqual([costMillicredits, outputs, balance.monthly_millicredits], [4_000, 1, 100_000]);
  const { body = '' } = upstream.studio.seen.find(({ operation }) => operation === 'createQuotes') ?? {};
  assert.equal((JSON.parse(body) as QuotesRequest).quotes[0]?.moderate, false);
  assert.equal(await codeOf(estimate({ model: 'grand', prompt: 'x' })), 'tier_required');
  assert.equal(await codeOf(estimate({})), 'invalid_request');
});
