import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSteps, greyImage } from '@renderkit/engine-kit/full-check.ts';
import { walkCheck } from '@renderkit/engine-kit/testing/walk-check.ts';
import { checkFalBackend } from './full-check.ts';
import { FalCounterpart } from './testing/counterpart.ts';

test('fal is asked for no job that is not paid for by the allowed amount', async () => {
  await using counterpart = await new FalCounterpart().start();
  const steps = await walkCheck(checkFalBackend, counterpart.url);
  assert.deepEqual(Object.keys(steps), [...checkSteps]);
  assert.equal(counterpart.jobs, 0);
  assert.match(
    steps['render']?.message ?? '',
    /^Not walked: a job may cost 0\.01 USD .*--spend 0\.01 or more/,
  );
});

test("the steps of fal's queue are walked, and the jobs of the check ended", async () => {
  await using counterpart = await new FalCounterpart().start();
  counterpart.resultOf = () => greyImage;
  const steps = await walkCheck(checkFalBackend, counterpart.url, 1);
  const failed = Object.values(steps).filter(({ ok }) => !ok);
  assert.deepEqual(failed, []);
  assert.equal(steps['submit with own id']?.message, 'A job is found again without its answer.');
  assert.equal(steps['render']?.message, `A result of ${greyImage.length} bytes came.`);
  assert.match(steps['invalid graph']?.message ?? '', /valid integer/);
  assert.equal(steps['queue delete']?.message, 'A job was taken out before its end.');
  assert.match(steps['restart']?.message ?? '', /^Another process has the same job's result/);
  // One job is rendered, one taken from the queue and one interrupted; the invalid one is refused.
  assert.equal(counterpart.jobs, 3);
  assert.equal(counterpart.endedForeign, false);
});

test('a job that fal refused takes nothing of the allowed amount', async () => {
  await using counterpart = await new FalCounterpart().start();
  counterpart.resultOf = () => greyImage;
  const steps = await walkCheck(checkFalBackend, counterpart.url, 0.03);
  assert.match(steps['invalid graph']?.message ?? '', /valid integer/);
  assert.deepEqual(
    Object.values(steps).filter(({ message }) => message.startsWith('Not walked')),
    [],
  );
  assert.equal(counterpart.jobs, 3);
});
