import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { errorOfGeneration } from './errors.ts';

const answerOf = (status: Generation['status'], code?: string) => {
  const error = code === undefined ? null : { code, message: 'It is over.' };
  const answer = errorOfGeneration({ id: 'gen_1', status, error } as Generation);
  assert.equal(answer.headers['x-should-retry'], 'false');
  return [answer.status, answer.body.error.code];
};

test('what somebody ended on purpose has a status that no client sends again', () => {
  assert.deepEqual(answerOf('failed', 'stopped'), [400, 'stopped']);
  assert.deepEqual(answerOf('canceled'), [400, 'canceled']);
  assert.deepEqual(answerOf('failed', 'moderation_blocked'), [400, 'moderation_blocked']);
});

test('what broke, or is not there in time, is no mistake of the client', () => {
  assert.deepEqual(answerOf('failed', 'render_failed'), [500, 'generation_failed']);
  assert.deepEqual(answerOf('running'), [504, 'timeout']);
});
