import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RenderkitError } from 'renderkit/errors';
import { isTransient, saysNothingOfIt, sentenceOf } from './errors.ts';
import { createQueryClient, retryDelayMs } from './query-client.ts';

const refusal = (status: number, retryAfter?: number) =>
  new RenderkitError('internal_error', 'No.', { status, requestId: 'req_1', retryAfter });

test('only an error that may pass is retried, and no sooner than the service asked for', () => {
  assert.deepEqual(
    [400, 401, 403, 404, 409, 429, 500, 502, 503].filter((status) => isTransient(refusal(status))),
    [429, 502, 503],
  );
  const silence = new RenderkitError('connection_failed', 'No answer from /console/api/keys: down');
  assert.ok(isTransient(silence));
  assert.match(sentenceOf(silence), /^The service did not answer/);
  assert.equal(retryDelayMs(1, refusal(503, 7)), 7_000);
  assert.equal(retryDelayMs(1, refusal(503)), 2_000);
  assert.equal(retryDelayMs(0, refusal(429, 600)), 30_000);
});

test("an answer that is not the service's is told as that", () => {
  const page = new RenderkitError('connection_failed', 'The answer was cut off or is no JSON.', {
    status: 200,
  });
  assert.match(sentenceOf(page), /^What answered was not the service: no JSON, with status 200\./);
  const redirect = new RenderkitError('invalid_request', 'It redirects elsewhere.', { status: 0 });
  assert.match(sentenceOf(redirect), /^What answered was not the service: it redirects\./);
  assert.equal(sentenceOf(refusal(409)), 'No.');
});

test('an ended session is reported for every request, and a refused change unless its page shows that itself', async () => {
  const reported: string[] = [];
  const client = createQueryClient({
    onSignedOut: () => reported.push('signed out'),
    onOtherAccount: () => reported.push('another account'),
    onRefused: (error) => reported.push(error.message),
  });
  const fail = (reason: Error) => async () => {
    throw reason;
  };
  await assert.rejects(client.fetchQuery({ queryKey: ['a'], queryFn: fail(refusal(401)) }));
  await assert.rejects(client.fetchQuery({ queryKey: ['b'], queryFn: fail(refusal(404)) }));
  const change = (error: Error, meta?: Record<string, unknown>) =>
    client
      .getMutationCache()
      .build(client, { mutationFn: fail(error), ...(meta && { meta }) })
      .execute(undefined);
  await assert.rejects(change(refusal(401)));
  await assert.rejects(change(refusal(409)));
  await assert.rejects(change(refusal(409), { inline: true }));
  assert.deepEqual(reported, ['signed out', 'signed out', 'No.']);
  const other = new RenderkitError('other_account' as never, 'Another.', { status: 403 });
  await assert.rejects(client.fetchQuery({ queryKey: ['c'], queryFn: fail(other) }));
  await assert.rejects(change(other, { inline: true }));
  assert.deepEqual(reported.slice(3), ['another account', 'another account']);
});

test('a create keeps its key where its refusal says nothing of it', () => {
  assert.deepEqual(
    [400, 401, 402, 403, 409, 422, 429, 500, 503].filter((status) => saysNothingOfIt(refusal(status))),
    [401, 429, 500, 503],
  );
  assert.ok(saysNothingOfIt(new RenderkitError('connection_failed', 'No answer.')));
  assert.ok(saysNothingOfIt(new RenderkitError('other_account' as never, 'Another.', { status: 403 })));
});
