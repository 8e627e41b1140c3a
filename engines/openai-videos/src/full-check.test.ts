import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSteps } from '@renderkit/engine-kit/full-check.ts';
import { walkCheck } from '@renderkit/engine-kit/testing/walk-check.ts';
import { checkOpenaiVideosBackend } from './full-check.ts';
import { VideosCounterpart } from './testing/counterpart.ts';

const video = Buffer.from(`\0\0\0\u0018ftypisom${'x'.repeat(500)}`, 'latin1');

test('a server of videos is asked for none that is not paid for by the allowed amount', async () => {
  await using counterpart = await new VideosCounterpart().start();
  const steps = await walkCheck(checkOpenaiVideosBackend, `${counterpart.url}/v1`, 0.4);
  assert.deepEqual(Object.keys(steps), [...checkSteps]);
  assert.equal(counterpart.jobs, 0);
  assert.match(steps['upload']?.message ?? '', /--spend 0\.5 or more/);
});

test('the steps of videos are walked, and one that waits is deleted', async () => {
  await using counterpart = await new VideosCounterpart().start();
  counterpart.resultOf = () => video;
  const steps = await walkCheck(checkOpenaiVideosBackend, `${counterpart.url}/v1`, 10);
  assert.deepEqual(
    Object.values(steps).filter(({ ok }) => !ok),
    [],
  );
  assert.equal(steps['submit with own id']?.message, 'A job is found again without its answer.');
  assert.equal(steps['render']?.message, `A result of ${video.length} bytes came.`);
  assert.match(steps['invalid graph']?.message ?? '', /valid number/);
  assert.equal(steps['queue delete']?.message, 'A job was taken out before its end.');
  assert.equal(counterpart.asked.cancel, 1);
  assert.ok(counterpart.forms.some((form) => form.get('input_reference') instanceof File));
});
