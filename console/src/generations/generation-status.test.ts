import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemCodeNames } from '@renderkit/contract/v1/problem-codes.ts';
import type { ProgressStage } from '@renderkit/contract/v1/progress.ts';
import { realAnswers } from '@renderkit/contract/v1/real-answers.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { isFinal, isOfStatus, refundOf, stageSentence, timelineOf, whatToDo } from './generation-status.ts';

const generation = realAnswers.generation as unknown as Generation;
const at = (second: number) => `2026-11-21T18:00:${String(second).padStart(2, '0')}.000Z`;

test('A generation goes from queued over sent to its end, each step with what it took', () => {
  const done = { ...generation, created_at: at(1), submitted_at: at(3), completed_at: at(8) };
  assert.deepEqual(timelineOf({ ...done, status: 'succeeded' }), [
    { name: 'Queued', at: at(1), took: undefined },
    { name: 'Sent to the studio', at: at(3), took: 2_000 },
    { name: 'Succeeded', at: at(8), took: 5_000 },
  ]);
  const names = (one: Partial<Generation>) => timelineOf({ ...done, ...one }).map(({ name }) => name);
  assert.deepEqual(names({ status: 'queued', submitted_at: null, completed_at: null }), [
    'Queued',
    'Sent to the studio',
    'Finished',
  ]);
  // A generation that was never submitted has no "sent" step.
  assert.deepEqual(names({ status: 'canceled', submitted_at: null }), ['Queued', 'Canceled']);
  assert.deepEqual(names({ status: 'failed', submitted_at: null }), ['Queued', 'Failed']);
});

test('What is said of a generation under way goes with its status', () => {
  assert.equal(stageSentence('queued', undefined), 'It waits for its turn.');
  assert.equal(stageSentence('running', undefined), 'The studio is at it.');
  assert.equal(stageSentence('running', { stage: 'loading_model' }), 'The engine loads the model.');
  const statuses = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
  const of = (stage: ProgressStage) => statuses.filter((status) => isOfStatus(stage, status));
  assert.deepEqual(of('submitting'), ['queued']);
  assert.deepEqual(of('waiting_for_engine'), ['running']);
  assert.deepEqual(of('done'), ['succeeded', 'failed', 'canceled']);
});

test('Three of the statuses are final', () => {
  assert.deepEqual(
    (['queued', 'running', 'succeeded', 'failed', 'canceled'] as const).map((status) => isFinal({ status })),
    [false, false, true, true, true],
  );
});

test('There is something to do about every code, and the advice is for people, not for programs', () => {
  for (const code of [...problemCodeNames, 'partial_failure']) {
    if (code === 'unauthorized' || code === 'not_found') continue;
    const advice = whatToDo(code);
    assert.match(advice ?? '', /\.$/, code);
    assert.doesNotMatch(advice ?? '', /`|Idempotency|Retry-After|GET /, code);
  }
  assert.equal(whatToDo('toString'), undefined);
});

test('Of a generation that was stopped it is not said that its credits came back: the plan decides', () => {
  const failed = (code: string) => refundOf({ status: 'failed', error: { code, message: '' } });
  assert.equal(failed('render_failed'), 'given back');
  assert.equal(failed('stopped'), 'given back if no engine had begun or your plan says so');
  assert.equal(refundOf({ status: 'canceled', error: null }), 'not taken');
  for (const status of ['queued', 'running', 'succeeded'] as const)
    assert.equal(refundOf({ status, error: null }), undefined);
});
