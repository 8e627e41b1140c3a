import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoAnswerError, ProblemError } from './errors.ts';
import { createQueryClient, mayPass, waitBefore } from './query-client.ts';

const refusal = (status: number, retryAfter?: number) =>
  new ProblemError({ status, code: 'internal_error', detail: 'No.', request_id: 'req_1' }, retryAfter);

test('only what may pass by itself is tried again, and no sooner than was asked for', () => {
  assert.deepEqual(
    [400, 401, 403, 404, 409, 429, 500, 502, 503].filter((status) => mayPass(refusal(status))),
    [429, 502, 503],
  );
  assert.ok(mayPass(new NoAnswerError(new Error('down'))));
  assert.equal(waitBefore(1, refusal(503, 7)), 7_000);
  assert.equal(waitBefore(1, refusal(503)), 2_000);
  assert.equal(waitBefore(0, refusal(429, 600)), 30_000);
});

test('a session that has ended is told of, whoever asked; other refusals of changes are told too', async () => {
  const told: string[] = [];
  const client = createQueryClient({
    onSignedOut: () => told.push('signed out'),
    onRefused: (error) => told.push(error.message),
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
  assert.deepEqual(told, ['signed out', 'signed out', 'No.']);
});
