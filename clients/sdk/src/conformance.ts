import assert from 'node:assert/strict';
import { type Renderkit, RenderkitError } from './renderkit.ts';

/** A server to test, and requests that succeed or fail on this server. */
export type ConformanceTarget = {
  client: Renderkit;
  /** Fields of an image request that succeeds quickly. */
  succeeding: () => { model?: string; options?: Record<string, number> };
  /** Fields of an image request that is accepted and then fails. */
  failing: () => { model?: string };
  /** A small picture that the server accepts as an upload. */
  picture: () => Blob;
};

export type ConformanceCase = { name: string; run: (target: ConformanceTarget) => Promise<void> };

const prompt = 'a lighthouse above a calm sea at dusk';

/**
 * Tests the behaviour that a program may rely on, through the client. The real service and the mock of
 * `renderkit/testing` both run these cases, so a test with the mock also holds for the real service.
 * `e2e/sdk/sdk.test.ts` runs them with the service, `testing.test.ts` with the mock.
 */
export const conformanceCases: readonly ConformanceCase[] = [
  {
    name: 'a create answers at once with what was asked for, and waiting brings its output',
    run: async ({ client, succeeding }) => {
      const created = await client.images.create({ prompt, metadata: { order: '1042' }, ...succeeding() });
      assert.match(created.id, /^gen_/);
      assert.deepEqual([created.kind, created.status], ['image', 'queued']);
      const done = await client.generations.wait(created.id);
      assert.deepEqual([done.id, done.status, done.metadata], [created.id, 'succeeded', { order: '1042' }]);
      const bytes = await (await client.fetchOutput(done.outputs[0])).arrayBuffer();
      assert.ok(bytes.byteLength > 0);
    },
  },
  {
    name: 'run gives the finished generation, and costs what the estimate said',
    run: async ({ client, succeeding }) => {
      const params = { prompt, ...succeeding() };
      const estimate = await client.estimate({ kind: 'image', ...params });
      const before = await client.account.balance();
      const done = await client.images.run(params);
      const after = await client.account.balance();
      assert.equal(done.cost.credits, estimate.credits);
      assert.equal(Math.round((before.balance - after.balance) * 1000), Math.round(estimate.credits * 1000));
    },
  },
  {
    name: 'the same key and request is answered with the same generation and charged once',
    run: async ({ client, succeeding }) => {
      const params = { prompt, ...succeeding() };
      const idempotencyKey = crypto.randomUUID();
      const first = await client.images.create(params, { idempotencyKey });
      const between = await client.account.balance();
      const second = await client.images.create(params, { idempotencyKey }).withResponse();
      assert.equal(second.data.id, first.id);
      assert.equal(second.response.headers.get('Idempotent-Replayed'), 'true');
      assert.equal((await client.account.balance()).balance, between.balance);
      await client.generations.wait(first.id);
    },
  },
  {
    name: 'the same key and another request is a conflict that names the key',
    run: async ({ client, succeeding }) => {
      const idempotencyKey = crypto.randomUUID();
      const { id } = await client.images.create({ prompt, ...succeeding() }, { idempotencyKey });
      const error = await failure(
        client.images.create({ prompt: `${prompt}, at night`, ...succeeding() }, { idempotencyKey }),
      );
      assert.deepEqual([error.code, error.status, error.idempotencyKey], ['conflict', 409, idempotencyKey]);
      await client.generations.wait(id);
    },
  },
  {
    name: 'a wrong request is refused with the field, a request id, and costs nothing',
    run: async ({ client }) => {
      const before = await client.account.balance();
      const error = await failure(client.images.create({ prompt: '' }));
      assert.deepEqual([error.code, error.status, error.retryable], ['invalid_request', 400, false]);
      assert.ok(error.errors.some(({ field }) => field === 'prompt'));
      assert.match(error.requestId ?? '', /^req_/);
      assert.equal((await client.account.balance()).balance, before.balance);
    },
  },
  {
    name: 'a generation that fails is thrown with its error, and refunded',
    run: async ({ client, failing }) => {
      const before = await client.account.balance();
      const error = await failure(client.images.run({ prompt, ...failing() }));
      assert.equal(error.code, 'generation_failed');
      assert.equal(error.generation?.status, 'failed');
      assert.notEqual(error.generation?.error?.code, undefined);
      assert.equal((await client.account.balance()).balance, before.balance);
    },
  },
  {
    name: 'what has finished can no longer be canceled',
    run: async ({ client, succeeding }) => {
      const { id } = await client.images.run({ prompt, ...succeeding() });
      assert.equal((await failure(client.generations.cancel(id))).code, 'conflict');
    },
  },
  {
    name: 'a stream begins with the state now and ends with done',
    run: async ({ client, succeeding }) => {
      const { id } = await client.images.create({ prompt, ...succeeding() });
      const types = [];
      for await (const event of client.generations.stream(id)) {
        types.push(event.type);
        if (event.type === 'done') assert.equal(event.generation.status, 'succeeded');
      }
      assert.ok(types[0] === 'generation' || types[0] === 'done', `began with ${types[0]}`);
      assert.equal(types.at(-1), 'done');
      assert.equal(types.filter((type) => type === 'done').length, 1);
    },
  },
  {
    name: 'bytes are uploaded and named where a reference is taken',
    run: async ({ client, picture }) => {
      const file = picture();
      const first = await client.images.createEdit({ image: file, prompt });
      const second = await client.images.createEdit({ image: file, prompt: `${prompt}, in winter` });
      assert.equal(first.kind, 'image_edit');
      await Promise.all([client.generations.wait(first.id), client.generations.wait(second.id)]);
    },
  },
  {
    name: 'a list gives every item once over its pages, newest first',
    run: async ({ client, succeeding }) => {
      const made: string[] = [];
      for (let n = 0; n < 3; n += 1) made.unshift((await client.images.run({ prompt, ...succeeding() })).id);
      const seen: string[] = [];
      for await (const { id } of client.generations.list({ limit: 2 })) {
        seen.push(id);
        if (seen.length === 3) break;
      }
      assert.deepEqual(seen, made);
      const first = await client.generations.list({ limit: 2 });
      assert.deepEqual([first.data.length, first.hasNextPage()], [2, true]);
      assert.equal((await first.getNextPage()).data[0]?.id, made[2]);
    },
  },
  {
    name: 'what is not there is not found, and a wrong key is unauthorized',
    run: async ({ client }) => {
      const unknown = await failure(client.generations.retrieve('gen_00000000000000000000'));
      assert.deepEqual([unknown.code, unknown.status], ['not_found', 404]);
      const stranger = client.withOptions({ apiKey: 'rk_live_000000000000_wrong' });
      assert.equal((await failure(stranger.account.balance())).code, 'unauthorized');
    },
  },
  {
    name: 'an answer has its request id and the rate beside it',
    run: async ({ client }) => {
      const { data, requestId, rateLimit } = await client.account.balance().withResponse();
      assert.equal(data.object, 'balance');
      assert.match(requestId ?? '', /^req_/);
      assert.ok(rateLimit.limit !== null && rateLimit.remaining !== null);
      assert.ok(rateLimit.remaining < rateLimit.limit);
    },
  },
];

async function failure(promise: PromiseLike<unknown>): Promise<RenderkitError> {
  try {
    await promise;
  } catch (error) {
    if (RenderkitError.is(error)) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'it was to be refused and was not' });
}
