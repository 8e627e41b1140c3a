import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalCodes } from '@renderkit/contract/studio/errors.ts';
import type { QuoteResult } from '@renderkit/contract/studio/schemas/render.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { estimateRefusalOf, problemOf, refusalOf } from './studio-quotes.ts';

const cost = 4_000;
const fine: QuoteResult = {
  account_state: 'ok',
  unknown_ids: [],
  cost_millicredits: cost,
  outputs: 1,
  balance: {
    monthly_millicredits: 0,
    lifetime_millicredits: 0,
    allowance_millicredits: null,
    next_refill: null,
    ledger_seq: 0,
    catalog_version: 'v1',
    plan: null,
  },
  refusal: null,
  quote: 'q',
};
const refused = (code: (typeof refusalCodes)[number]): Partial<QuoteResult> => ({
  quote: null,
  refusal: { code, message: 'raw' },
});

async function ranked(quote: Partial<QuoteResult>, lacks = false): Promise<string> {
  const refusal = await refusalOf(
    { ...fine, ...quote },
    { costMillicredits: cost, lacksCredits: async () => lacks },
  );
  return refusal instanceof ApiProblem ? refusal.code : (refusal ?? 'fine');
}

test('the facts of a quote are ranked: state, ids, price, credits, then the refusal', async () => {
  const worst: Partial<QuoteResult> = {
    ...refused('moderation_blocked'),
    account_state: 'suspended',
    unknown_ids: ['project_id'],
    cost_millicredits: 1,
  };
  assert.equal(await ranked(worst, true), 'account_suspended');
  assert.equal(await ranked({ ...worst, account_state: 'email_not_verified' }, true), 'email_not_verified');
  assert.equal(await ranked({ ...worst, account_state: 'region_blocked' }, true), 'geo_blocked');
  assert.equal(await ranked({ ...worst, account_state: 'ok' }, true), 'invalid_request');
  assert.equal(await ranked({ ...worst, account_state: 'ok', unknown_ids: [] }, true), 'price_changed');
  assert.equal(await ranked(refused('moderation_blocked'), true), 'insufficient_credits');
  assert.equal(await ranked(refused('moderation_blocked')), 'moderation_blocked');
  assert.equal(await ranked({}), 'fine');
});

test('a quote without a refusal leaves credits to the accept', async () => {
  assert.equal(await ranked({}, true), 'fine');
});

test('each refusal has its code', async () => {
  const codes = await Promise.all(refusalCodes.map((code) => ranked(refused(code))));
  assert.deepEqual(Object.fromEntries(refusalCodes.map((code, i) => [code, codes[i]])), {
    moderation_blocked: 'moderation_blocked',
    unprocessable: 'unprocessable',
    concurrency: 'queue_full',
    model_paused: 'upstream_unavailable',
    insufficient_credits: 'insufficient_credits',
    tier_required: 'tier_required',
    forbidden: 'forbidden',
    storage_full: 'forbidden',
    account_suspended: 'account_suspended',
    email_not_verified: 'email_not_verified',
    geo_blocked: 'geo_blocked',
    quote_invalid: 'upstream_error',
  });
  for (const code of ['concurrency', 'model_paused'] as const)
    assert.ok((problemOf({ code }).retryAfterSeconds ?? 0) >= 1, code);
});

test('unknown ids are told by their fields, and paths that no request has are nonsense', async () => {
  const refusal = await refusalOf(
    { ...fine, quote: null, unknown_ids: ['reference_images[1]', 'project_id', 'styles[0]'] },
    { costMillicredits: cost, lacksCredits: async () => false },
  );
  assert.ok(refusal instanceof ApiProblem);
  assert.deepEqual(
    refusal.errors?.map(({ field }) => field),
    ['reference_images[1]', 'project_id', 'styles[0]'],
  );
  assert.equal(await ranked({ unknown_ids: ['<script>'] }), 'upstream_error');
});

test('a quote that is neither given nor refused is nonsense', async () => {
  assert.equal(await ranked({ quote: null }), 'upstream_error');
  assert.equal(await ranked({ outputs: 0 }), 'upstream_error');
});

test("the studio's own words and paths reach nobody unless they are a field's name", () => {
  const named = problemOf({ code: 'unprocessable', field: 'options.finish' });
  assert.deepEqual(
    named.errors?.map(({ field }) => field),
    ['options.finish'],
  );
  assert.equal(problemOf({ code: 'unprocessable', field: '<b>' }).errors, undefined);
  const refusal = { code: 'unprocessable', message: 'raw' } as const;
  assert.ok(!problemOf(refusal).message.includes('raw'));
});

test('an estimate minds ids, price and plan, and neither state nor moderation', () => {
  const of = (quote: Partial<QuoteResult>) => {
    const refusal = estimateRefusalOf({ ...fine, ...quote }, cost);
    return refusal instanceof ApiProblem ? refusal.code : (refusal ?? 'fine');
  };
  assert.equal(of({ account_state: 'suspended', quote: null }), 'fine');
  assert.equal(of(refused('moderation_blocked')), 'fine');
  assert.equal(of(refused('insufficient_credits')), 'fine');
  assert.equal(of(refused('tier_required')), 'tier_required');
  assert.equal(of({ unknown_ids: ['project_id'], quote: null }), 'invalid_request');
  assert.equal(of({ cost_millicredits: 1 }), 'price_changed');
});
