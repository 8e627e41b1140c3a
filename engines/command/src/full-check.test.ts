import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSteps, greyImage } from '@renderkit/engine-kit/full-check.ts';
import { walkCheck } from '@renderkit/engine-kit/testing/walk-check.ts';
import { checkCommandBackend } from './full-check.ts';

// Processes are identified by /proc.
test('programs are run, ended and taken up again', { skip: process.platform !== 'linux' }, async () => {
  const steps = await walkCheck(checkCommandBackend, '');
  assert.deepEqual(Object.keys(steps), [...checkSteps]);
  assert.deepEqual(
    Object.values(steps).filter(({ ok }) => !ok),
    [],
  );
  const made = `of ${greyImage.length} bytes`;
  assert.equal(steps['submit with own id']?.message, 'A job is found again without its answer.');
  assert.match(steps['progress']?.message ?? '', /^It said \d+ times how far a job was/);
  assert.equal(steps['upload']?.message, `A picture went there, and its edit ${made} came back.`);
  assert.equal(steps['render']?.message, `A result ${made} came.`);
  assert.match(steps['invalid graph']?.message ?? '', /could not be run/);
  assert.equal(steps['interrupt by id']?.message, 'A running job was ended by its id.');
  assert.equal(steps['restart']?.message, `Another process has the same job's result ${made}.`);
});
