import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSteps, greyImage } from '@renderkit/engine-kit/full-check.ts';
import { walkCheck } from '@renderkit/engine-kit/testing/walk-check.ts';
import { checkReplicateBackend } from './full-check.ts';
import { CogCounterpart } from './testing/cog-counterpart.ts';
import { ReplicateCounterpart } from './testing/counterpart.ts';

test('Replicate is asked for no prediction that is not paid for by the allowed amount', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
  const steps = await walkCheck(checkReplicateBackend, counterpart.base);
  assert.deepEqual(Object.keys(steps), [...checkSteps]);
  assert.equal(counterpart.jobs, 0);
  assert.match(steps['restart']?.message ?? '', /^Not walked: /);
});

test('the steps of predictions are walked, and the predictions of the check ended', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
  counterpart.resultOf = () => greyImage;
  const steps = await walkCheck(checkReplicateBackend, counterpart.base, 1);
  assert.deepEqual(
    Object.values(steps).filter(({ ok }) => !ok),
    [],
  );
  assert.equal(steps['submit with own id']?.message, 'A job is found again without its answer.');
  assert.match(steps['progress']?.message ?? '', /^It said \d+ times how far a job was/);
  assert.match(steps['invalid graph']?.message ?? '', /valid integer/);
  assert.equal(steps['interrupt by id']?.message, 'A running job was ended by its id.');
  assert.match(steps['restart']?.message ?? '', /^Another process has the same job's result/);
  assert.equal(counterpart.endedForeign, false);
});

test('a Cog server costs nothing and is tried without an amount', async () => {
  await using counterpart = await new CogCounterpart().start();
  counterpart.resultOf = () => greyImage;
  const steps = await walkCheck(checkReplicateBackend, counterpart.url);
  assert.equal(steps['render']?.message, `A result of ${greyImage.length} bytes came.`);
  assert.match(steps['queue delete']?.message ?? '', /^Not there: it has no queue/);
});
