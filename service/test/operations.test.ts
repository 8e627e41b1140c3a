import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { RenderProgress } from '@renderkit/contract/studio/progress.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { type OperationId, operationIds, operations } from '@renderkit/contract/v1/operations.ts';
import { acceptedScopes, type Operation } from '@renderkit/contract/v1/operation.ts';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import { revokeKey } from '../src/operator.ts';
import { assertProblem } from './assert-problem.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { type Answer, type Ask, startTestService, type TestService } from './harness.ts';
import { validatorOf } from './validators.ts';

type AskedFor = { path: string; body?: unknown; headers?: Record<string, string> };

/** What a studio reports of a running render. */
function progressOf(token: string): RenderProgress {
  return {
    account: 'stu_scripted',
    token,
    revision: '3',
    stage: 'rendering',
    fraction: 0.4,
    step: 4,
    steps: 10,
    outputs_done: 0,
    queue: null,
    starts_in_seconds: null,
    finishes_in_seconds: { low: 1, high: 2.5 },
    preview: { index: 0, revision: 3, width: 1, height: 1, jpeg: Buffer.from('a JPEG').toString('base64') },
  };
}

describe('every operation', () => {
  let service: TestService;
  let full: string;
  let generation: string;
  let running: string;
  let queued: string;
  let upload: string;
  let files: FileServer;
  before(async () => {
    files = await startFileServer();
    service = await startTestService({ config: { egressAllow: ['127.0.0.0/8'] } });
    full = await service.createKey();
    generation = await service.addGeneration();
    running = await service.addGeneration();
    await service.database.rows(
      `update generations set status = 'running', holds_slot = true, completed_at = null, heard_at = clock() where id = $1`,
      [running],
    );
    service.studio.script('getMetadata', {
      json: {
        studio_id: service.studio.studioId,
        issuer: `${service.studio.url}/oidc`,
        version: '1',
        progress: true,
      },
    });
    service.studio.script('readProgress', { json: { renders: [progressOf(running)], ended: [] } });
    const { body } = await service.ask<{ id: string }>('/v1/uploads', {
      key: full,
      body: { url: `${files.url}/lake.png` },
    });
    upload = body.id;
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });
  // An account may have at most 50 active keys.
  afterEach(() =>
    service.database.rows('update api_keys set revoked_at = clock() where public_id <> $1', [
      full.slice(8, 20),
    ]),
  );

  /** A request that succeeds, for each operation. A new operation without a row here is a type error. */
  const requests: Record<OperationId, () => Promise<AskedFor> | AskedFor> = {
    getAccount: () => ({ path: '/v1/account' }),
    getBalance: () => ({ path: '/v1/account/balance' }),
    getLimits: () => ({ path: '/v1/account/limits' }),
    getStorage: () => ({ path: '/v1/account/storage' }),
    getKey: () => ({ path: '/v1/key' }),
    listModels: () => ({ path: '/v1/models?suite=image&page=1&limit=2' }),
    getModel: () => ({ path: `/v1/models/${encodeURIComponent('night/adult')}` }),
    listStyles: () => ({ path: '/v1/styles' }),
    listSuggestions: () => ({ path: '/v1/suggestions?suite=video' }),
    listProjects: () => ({ path: '/v1/projects?page=1&limit=5&search=a' }),
    createProject: () => ({ path: '/v1/projects', body: { title: 'My project' } }),
    getProject: () => ({ path: '/v1/projects/prj_1' }),
    updateProject: () => ({ path: '/v1/projects/prj_1', body: { title: 'My project' } }),
    deleteProject: () => ({ path: '/v1/projects/prj_1' }),
    listAssets: () => ({
      path: '/v1/assets?type=image&project_id=prj_1&search=a&favorites=false&page=1&limit=5',
    }),
    getImageAsset: () => ({ path: '/v1/assets/images/lib_1' }),
    updateAsset: () => ({ path: '/v1/assets/frame/lib_1', body: { favorite: true } }),
    deleteAsset: () => ({ path: '/v1/assets/video/lib_1' }),
    createFrame: () => ({ path: '/v1/videos/lib_1/frames', body: { time: 'last', project_id: 'prj_1' } }),
    createUpload: () => ({
      path: '/v1/uploads',
      body: { url: `${files.url}/lake.png`, project_id: 'prj_1' },
    }),
    getUpload: async () => ({ path: `/v1/uploads/${upload}` }),
    deleteUpload: async () => {
      const { body } = await service.ask<{ id: string }>('/v1/uploads', {
        key: full,
        body: { url: `${files.url}/lake.png` },
      });
      return { path: `/v1/uploads/${body.id}` };
    },
    createImageGeneration: () => ({ path: '/v1/images/generations', body: { prompt: 'a lighthouse' } }),
    createImageEdit: () => ({ path: '/v1/images/edits', body: { image: 'lib_1', prompt: 'in winter' } }),
    createVideoGeneration: () => ({
      path: '/v1/videos/generations',
      body: { prompt: 'clouds drift', duration: '5', start_image: 'lib_1' },
    }),
    extendVideo: () => ({ path: '/v1/videos/extend', body: { video_id: 'lib_2', resolution: '720p' } }),
    estimate: () => ({ path: '/v1/estimate', body: { kind: 'image', prompt: 'a lighthouse' } }),
    getGeneration: () => ({ path: `/v1/generations/${generation}` }),
    getGenerationRequest: () => ({ path: `/v1/generations/${generation}/request` }),
    // The stream of a generation that has ended ends by itself.
    watchGeneration: () => ({ path: `/v1/generations/${generation}/events?preview=none` }),
    getProgress: () => ({ path: `/v1/generations/${running}/progress` }),
    getPreview: () => ({ path: `/v1/generations/${running}/previews/0?r=3` }),
    listGenerations: () => ({ path: '/v1/generations?status=succeeded&kind=image' }),
    stopGeneration: async () => {
      const { path } = await requests.cancelGeneration();
      return { path: path.replace('/cancel', '/stop') };
    },
    listEvents: () => ({
      path: '/v1/events?types=generation.created,upload.ready&page=1&limit=5',
      headers: { accept: 'application/json' },
    }),
    cancelGeneration: async () => {
      // Nothing is dispatched while the account pauses.
      await service.database.rows(`update accounts set dispatch_after = clock() + interval '1 hour'`);
      const { body } = await service.ask<{ id: string }>('/v1/images/generations', {
        key: full,
        body: { prompt: 'x' },
      });
      queued = body.id;
      return { path: `/v1/generations/${queued}/cancel` };
    },
  };

  for (const id of operationIds) {
    const operation: Operation = operations[id];
    const ask = async (more: Ask) => {
      const { path, body, headers = {} } = await requests[id]();
      return service.ask(path, {
        method: operation.method,
        headers,
        ...(body !== undefined && { body }),
        ...more,
      });
    };
    const assertRateHeaders = (answer: Answer, limit: number, remaining: number) =>
      assert.deepEqual(
        [answer.headers.get('x-ratelimit-limit'), answer.headers.get('x-ratelimit-remaining')],
        [String(limit), String(remaining)],
      );

    describe(id, () => {
      test('without a valid key: 401, and no rate headers', async () => {
        const revoked = await service.createKey();
        const [row] = await service.database.rows<{ id: string }>(
          'select id from api_keys where public_id = $1',
          [revoked.slice(8, 20)],
        );
        await revokeKey(service.database, row?.id ?? '');
        for (const key of [undefined, 'rk_live_x', `rk_live_${'a'.repeat(12)}_${'b'.repeat(32)}`, revoked]) {
          const answer = await ask({ key });
          assertProblem(answer, 'unauthorized', String(key));
          assert.equal(answer.headers.get('x-ratelimit-limit'), null);
        }
      });

      test('without its scope: 403 before the body is looked at', async () => {
        const accepted = acceptedScopes(operation);
        const others = scopes.filter((scope) => !accepted.includes(scope));
        // Every key may read itself.
        if (others.length === 0) return;
        const answer = await ask({
          key: await service.createKey({ scopes: others }),
          ...(operation.method === 'GET' ? {} : { body: '{' }),
        });
        assertProblem(answer, 'forbidden', id);
        assert.ok(answer.headers.has('x-ratelimit-remaining'));
        for (const scope of accepted) {
          const { status } = await ask({ key: await service.createKey({ scopes: [scope] }) });
          assert.equal(status, operation.response.status);
        }
      });

      test('past the limit of its key: 429 with Retry-After', async () => {
        const key = await service.createKey({ rateLimitPerMinute: 1 });
        const first = await ask({ key });
        const second = await ask({ key });
        // A new minute may begin between the two.
        if (second.status === operation.response.status) return;
        assertRateHeaders(first, 1, 0);
        assertProblem(second, 'rate_limited', id);
        assertRateHeaders(second, 1, 0);
        const wait = Number(second.headers.get('retry-after'));
        assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, String(wait));
      });

      test('answers what its schema says', async () => {
        const { schema, mediaType = 'application/json' } = operation.response;
        const validate = validatorOf(schema);
        const answer = await ask({ key: await service.createKey({ rateLimitPerMinute: 77 }) });
        assert.equal(answer.status, operation.response.status, answer.text);
        assert.equal(answer.headers.get('content-type')?.split(';')[0], mediaType);
        assert.ok(validate(answer.body), `${answer.text} ${JSON.stringify(validate.errors)}`);
        assertRateHeaders(answer, 77, 76);
        assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
      });

      test('an unknown query parameter, a repeated one, U+0000: 400 that names it', async () => {
        const { path, body } = await requests[id]();
        const [bare = ''] = path.split('?');
        for (const [query, field] of [
          ['colour=red', 'colour'],
          ['colour=red&colour=blue', 'colour'],
          ['a%00b=1', 'a%00b'],
          ['__proto__=1', '__proto__'],
          ['constructor=1', 'constructor'],
          ['%ff=1', '%ff'],
        ]) {
          const answer = await service.ask<Problem>(`${bare}?${query}`, {
            key: full,
            method: operation.method,
            ...(body !== undefined && { body }),
          });
          assertProblem(answer, 'invalid_request', query ?? '');
          assert.equal(answer.body.errors?.[0]?.field, field);
        }
      });

      test('another method or a path below is unknown', async () => {
        const { path, body, headers = {} } = await requests[id]();
        const [bare = ''] = path.split('?');
        assertProblem(
          await service.ask(bare, { key: full, method: 'PUT', ...(body !== undefined && { body }) }),
          'not_found',
          'PUT',
        );
        assertProblem(await service.ask(`${bare}/more/of/it`, { key: full }), 'not_found', 'below');
        const both = await Promise.all(
          ['GET', 'HEAD'].map((method) => service.ask(bare, { key: full, method, headers })),
        );
        assert.deepEqual(both[1]?.status, both[0]?.status);
      });

      if (operation.request.body !== undefined) describeBody(id);
      if (operation.request.params !== undefined)
        test('an id that cannot be one is not found', async () => {
          const { path, body } = await requests[id]();
          const at = path.split('?')[0]?.split('/') ?? [];
          const place = operation.path.split('/').indexOf('{id}');
          const askOf = (strange: string) =>
            service.ask(at.with(place, strange).join('/'), {
              key: full,
              method: operation.method,
              ...(body !== undefined && { body }),
            });
          for (const strange of ['x'.repeat(201), '%F0%9F%98%80', "'%20or%201=1", '..%2f..%2fetc']) {
            const answer = await askOf(strange);
            // The scripted studio has every id that it is asked for.
            if (strange.length > 200 || answer.status !== operation.response.status)
              assertProblem(answer, 'not_found', strange);
          }
          assertProblem(await askOf('a%00b'), 'invalid_request', 'U+0000');
        });
    });

    function describeBody(of: OperationId) {
      test('a body that cannot be read: 400 that says why', async () => {
        const { path } = await requests[of]();
        const cases: [Ask, RegExp][] = [
          [{ body: '{"prompt":' }, /^body: is not valid JSON$/],
          [{ body: '{"prompt":"a","prompt":"b"}' }, /^prompt: appears more than once$/],
          [{ body: '{"metadata":{"__proto__":"b"}}' }, /^metadata\.__proto__: is not an allowed name$/],
          [{ body: '{"prompt":"\\u0000"}' }, /^prompt: holds U\+0000$/],
          [{ body: '{"prompt":"\\ud800"}' }, /^prompt: holds a lone surrogate$/],
          [{ body: '['.repeat(100) + ']'.repeat(100) }, /^body: is nested deeper than 32 levels$/],
          [{ body: '{}', headers: { 'content-type': 'text/plain' } }, /^body: must be JSON, sent with/],
          [
            { body: '{}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
            /^body: must be JSON/,
          ],
          [
            { body: '{}', headers: { 'content-encoding': 'gzip' } },
            /^body: must be sent without a Content-Encoding$/,
          ],
          [{ body: Buffer.from([0x22, 0xff, 0x22]) }, /^body: is not valid UTF-8$/],
          [{ body: '[]' }, /^body: must be an object/],
          [{ body: '"x"' }, /^body: must be an object/],
          [{ body: 'null' }, /^body: must be an object/],
          [
            { body: ' '.repeat(operation.request.bodyLimitBytes + 1) },
            /^body: must not be larger than \d+ bytes$/,
          ],
        ];
        for (const [more, detail] of cases) {
          const answer = await service.ask<Problem>(path, { key: full, method: operation.method, ...more });
          assertProblem(answer, 'invalid_request', String(more.body).slice(0, 60));
          assert.match(answer.body.detail, detail);
        }
        // The Content-Type may be no media type at all: the answer is still first 401, then 400.
        const none = { method: operation.method, body: '{}', headers: { 'content-type': ';' } };
        assertProblem(await service.ask(path, none), 'unauthorized', 'no key');
        const answer = await service.ask(path, { ...none, key: full });
        assertProblem(answer, 'invalid_request', 'no media type');
        assert.ok(answer.headers.has('x-ratelimit-limit'));
      });
    }
  }
});
