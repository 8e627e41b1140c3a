import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { exampleEditModel } from '@renderkit/contract/studio/examples/models.ts';
import type { QuoteResult, QuotesRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Estimate } from '@renderkit/contract/v1/schemas/estimate.ts';
import type { Generation, GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { assertProblem } from './assert-problem.ts';
import { startTestService, type TestService } from './harness.ts';

type Kind = {
  kind: GenerationKind;
  path: string;
  model: string;
  lane: 'image' | 'edit' | 'video';
  credits: number;
  body: Record<string, unknown>;
  /** The ids that the studio may report as unknown, and the field that names each for the client. */
  ids: Record<string, unknown>;
};

const kinds: Kind[] = [
  {
    kind: 'image',
    path: '/v1/images/generations',
    model: 'plain',
    lane: 'image',
    credits: 4,
    body: { prompt: 'a lighthouse' },
    ids: { project_id: 'prj_nobody' },
  },
  {
    kind: 'image_edit',
    path: '/v1/images/edits',
    model: 'brush',
    lane: 'edit',
    credits: 3,
    body: { prompt: 'in winter', image: 'lib_1', strength: 0.3 },
    ids: { project_id: 'prj_nobody', image: 'lib_nobody' },
  },
  {
    kind: 'video',
    path: '/v1/videos/generations',
    model: 'reel',
    lane: 'video',
    credits: 30,
    body: { prompt: 'clouds drift', duration: '10' },
    ids: {
      start_image: 'lib_x',
      end_image: 'lib_x',
      source_video: 'lib_x',
      reference_images: ['lib_x'],
      reference_audios: ['lib_x'],
    },
  },
  {
    kind: 'video_extend',
    path: '/v1/videos/extend',
    model: 'onward',
    lane: 'video',
    credits: 13,
    body: { video_id: 'lib_1', resolution: '720p' },
    ids: { video_id: 'lib_nobody' },
  },
];

describe('the four kinds of generation', () => {
  let service: TestService;
  let key: string;
  before(async () => {
    service = await startTestService();
    key = await service.createKey();
    service.studio.balance.lifetime_millicredits = 1_000_000;
    // Nothing is dispatched while the account pauses.
    await service.database.rows(`update accounts set dispatch_after = clock() + interval '1 hour'`);
  });
  after(() => service[Symbol.asyncDispose]());
  afterEach(() => service.studio.script('createQuotes', undefined));

  const lastQuote = () => {
    const seen = service.studio.seen.findLast(({ operation }) => operation === 'createQuotes');
    const [quote] = (JSON.parse(seen?.body ?? '{"quotes":[]}') as QuotesRequest).quotes;
    assert.ok(quote);
    return quote;
  };
  const quoteOf = (more: Partial<QuoteResult>): QuoteResult => ({
    account_state: 'ok',
    unknown_ids: [],
    cost_millicredits: 0,
    outputs: 1,
    balance: service.studio.balance,
    refusal: null,
    quote: null,
    ...more,
  });

  for (const { kind, path, model, lane, credits, body, ids } of kinds) {
    test(`${kind}: accepted at its price, in its lane, and quoted with moderation`, async () => {
      const queued = async () =>
        (await service.ask<Record<string, { queued: number }>>('/v1/account/limits', { key })).body[lane]
          ?.queued;
      const waiting = (await queued()) ?? 0;
      const metadata = { order: kind };
      const {
        status,
        text,
        body: made,
      } = await service.ask<Generation>(path, {
        key,
        body: { ...body, metadata },
      });
      assert.equal(status, 202, text);
      const { outputs, status: state, expected_outputs, metadata: echoed } = made;
      assert.deepEqual(
        [made.kind, made.model, made.cost.credits, state, outputs, expected_outputs, echoed],
        [kind, model, credits, 'queued', [], 1, metadata],
      );
      const quote = lastQuote();
      assert.deepEqual([quote.request.kind, quote.moderate], [kind, true]);
      assert.ok(!('metadata' in quote.request), 'notes of the client stay here');
      assert.equal(await queued(), waiting + 1);
      const listed = await service.ask<{ data: Generation[] }>(`/v1/generations?kind=${kind}&limit=1`, {
        key,
      });
      assert.deepEqual(listed.body.data[0], made);
    });

    test(`${kind}: an estimate validates and prices the same body, and moderates nothing`, async () => {
      const {
        status,
        text,
        body: told,
      } = await service.ask<Estimate>('/v1/estimate', {
        key,
        body: { kind, ...body },
      });
      assert.equal(status, 200, text);
      assert.deepEqual([told.kind, told.model, told.credits, told.outputs], [kind, model, credits, 1]);
      const estimated = lastQuote();
      const { headers } = await service.ask(path, { key, body });
      const request = { ...estimated.request, request_id: headers.get('x-request-id') };
      assert.deepEqual([estimated.moderate, request], [false, lastQuote().request]);
    });

    test(`${kind}: ids that the studio does not have are wrong fields, on a create and an estimate`, async () => {
      const fields = Object.entries(ids).map(([name, value]) => (Array.isArray(value) ? `${name}[0]` : name));
      for (const [route, sent] of [
        [path, { ...body, ...ids }],
        ['/v1/estimate', { kind, ...body, ...ids }],
      ] as const) {
        const results = [quoteOf({ unknown_ids: fields })];
        service.studio.script('createQuotes', { json: { results } });
        const answer = await service.refusal(route, { key, body: sent });
        assertProblem(answer, 'invalid_request', route);
        assert.deepEqual(
          answer.body.errors?.map(({ field }) => field),
          fields,
        );
      }
    });

    test(`${kind}: a field of another kind or none is refused, whichever way it comes`, async () => {
      const foreign = kind === 'image' ? 'video_id' : kind === 'video_extend' ? 'image' : 'resolution';
      for (const [route, sent] of [
        [path, { ...body, [foreign]: 'x' }],
        ['/v1/estimate', { kind, ...body, [foreign]: 'x' }],
        [path, { ...body, kind }],
      ] as const) {
        const answer = await service.refusal(route, { key, body: sent });
        assertProblem(answer, 'invalid_request', JSON.stringify(sent));
        assert.deepEqual(
          answer.body.errors?.map(({ field }) => field),
          [route === path && 'kind' in sent ? 'kind' : foreign],
        );
      }
    });
  }

  test('the same key for another kind of request is a conflict, for the same one a replay', async () => {
    const headers = { 'idempotency-key': 'one key' };
    const [image, edit] = kinds;
    const first = await service.ask(image?.path ?? '', { key, headers, body: image?.body });
    const again = await service.ask(image?.path ?? '', { key, headers, body: image?.body });
    assert.deepEqual([first.status, again.text], [202, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assertProblem(
      await service.ask(edit?.path ?? '', { key, headers, body: edit?.body }),
      'conflict',
      'edit',
    );
  });

  test('a model for adults wants a verified age, for an edit too', async () => {
    const { studio } = service;
    studio.catalog.models.push(exampleEditModel({ id: 'night-brush', default_for: [], nsfw: true }));
    studio.catalog.version = studio.balance.catalog_version = 'v2';
    const body = { image: 'lib_1', prompt: 'x', model: 'night-brush' };
    assertProblem(await service.ask('/v1/images/edits', { key, body }), 'forbidden', 'edit');
    assertProblem(
      await service.ask('/v1/estimate', { key, body: { kind: 'image_edit', ...body } }),
      'forbidden',
      'estimate',
    );
    studio.account.age_verified = true;
    assert.equal((await service.ask('/v1/images/edits', { key, body })).status, 202);
  });
});
