import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generationStatuses } from '@renderkit/contract/v1/schemas/generation.ts';
import { isFinal, mayTransition } from './status.ts';

test('five moves are allowed and no others', () => {
  const moves = generationStatuses.flatMap((from) =>
    generationStatuses.filter((to) => mayTransition(from, to)).map((to) => `${from} to ${to}`),
  );
  assert.deepEqual(moves, [
    'queued to running',
    'queued to failed',
    'queued to canceled',
    'running to succeeded',
    'running to failed',
  ]);
});

test('what ended stays as it is', () => {
  assert.deepEqual(generationStatuses.filter(isFinal), ['succeeded', 'failed', 'canceled']);
});
