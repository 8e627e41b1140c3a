import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitUnconfirmed } from '@renderkit/server-kit/db/database.ts';
import { ApiProblem } from './api-problem.ts';
import { presentProblem } from './present-problem.ts';
import { problemOf } from './problem-of-error.ts';

const context = { requestId: 'req_1', docsUrl: 'https://docs.test' };
const presented = (problem: ApiProblem) => {
  const { text, ...rest } = presentProblem(problem, context);
  return { ...rest, body: JSON.parse(text) as Record<string, unknown> };
};

test('our own failure tells nothing of itself, and says when waiting helps', () => {
  const unexpected = problemOf(new TypeError('secret is undefined'));
  assert.equal(unexpected.code, 'internal_error');
  assert.doesNotMatch(JSON.stringify(presented(unexpected)), /secret/);
  assert.equal(presented(unexpected).headers['retry-after'], undefined);
  for (const error of [
    new CommitUnconfirmed('lost'),
    Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
  ])
    assert.equal(presented(problemOf(error)).headers['retry-after'], '2');
  const refusal = new ApiProblem('not_found', { detail: 'no' });
  assert.equal(problemOf(refusal), refusal);
});

test('the detail of a validation error joins the messages of its fields, fifty at most', () => {
  const errors = Array.from({ length: 60 }, (_, i) => ({ field: `f${i}`, message: 'is wrong' }));
  const { status, body } = presented(new ApiProblem('invalid_request', { errors }));
  assert.equal(status, 400);
  assert.equal((body['errors'] as unknown[]).length, 50);
  assert.match(body['detail'] as string, /^f0: is wrong; f1: is wrong; .*f49: is wrong$/);
});

test('a name that a client made up is quoted, but not at any length', () => {
  const field = '😀'.repeat(1_000);
  const { body } = presented(
    new ApiProblem('invalid_request', { errors: [{ field, message: 'is unknown' }] }),
  );
  const [error] = body['errors'] as { field: string }[];
  assert.ok(error !== undefined && error.field.length <= 201 && error.field.endsWith('…'));
});
