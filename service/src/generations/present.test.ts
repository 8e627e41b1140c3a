import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Generation, Generation as Schema } from '@renderkit/contract/v1/schemas/generation.ts';
import { validatorOf } from '../../test/validators.ts';
import { isoTime } from '../iso-time.ts';
import { acceptedBodyEnd, acceptedBodyStart, generationText } from './present.ts';

const isGeneration = validatorOf(Schema);

const row = {
  id: 'gen_01kaf3v5w8m2x9q4t7r6y1z0bc',
  kind: 'image',
  status: 'queued',
  model: 'character/"quoted"',
  project_id: null,
  cost_millicredits: 4_500,
  expected_outputs: 2,
  outputs: '[]',
  error_code: null,
  error_message: null,
  prompt_id: null,
  metadata: '{"note":"a \\"b\\" \\u2028"}',
  created_at: '2026-11-21 09:30:00.0123+00',
  submitted_at: null,
  completed_at: null,
} as const;

test('a record becomes the Generation of the contract', () => {
  const text = generationText({
    ...row,
    status: 'failed',
    error_code: 'upstream_error',
    error_message: 'said "no"',
    prompt_id: 'prm_1',
    submitted_at: '2026-11-21 09:30:01+00',
    completed_at: '2026-11-21 09:30:02.5+00',
  });
  const generation = JSON.parse(text) as Generation;
  assert.ok(isGeneration(generation), JSON.stringify(isGeneration.errors));
  assert.deepEqual(generation.cost, { credits: 4.5 });
  assert.deepEqual(generation.error, { code: 'upstream_error', message: 'said "no"' });
  assert.equal(generation.model, 'character/"quoted"');
  assert.equal(generation.created_at, '2026-11-21T09:30:00.012Z');
  assert.equal(generation.completed_at, '2026-11-21T09:30:02.500Z');
});

test('the text of a 202 is the same that a read gives while it is queued', () => {
  const { id, kind, model, project_id, cost_millicredits, expected_outputs, metadata } = row;
  const start = acceptedBodyStart({
    id,
    kind,
    model,
    project_id,
    cost_millicredits,
    expected_outputs,
    metadata,
  });
  assert.equal(start + isoTime(row.created_at) + acceptedBodyEnd, generationText(row));
});

test('times have milliseconds, cut and not rounded', () => {
  assert.equal(isoTime('2026-11-21 09:30:00+00'), '2026-11-21T09:30:00.000Z');
  assert.equal(isoTime('2026-11-21 09:30:00.9999+00'), '2026-11-21T09:30:00.999Z');
});
