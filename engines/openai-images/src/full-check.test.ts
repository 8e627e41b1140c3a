import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSteps, greyImage } from '@renderkit/engine-kit/full-check.ts';
import { walkCheck } from '@renderkit/engine-kit/testing/walk-check.ts';
import { checkOpenaiImagesBackend } from './full-check.ts';
import { ImagesCounterpart } from './testing/counterpart.ts';

test('a provider is asked for nothing that costs money unless that is allowed', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  const steps = await walkCheck(checkOpenaiImagesBackend, counterpart.base, 0);
  assert.deepEqual(Object.keys(steps), [...checkSteps]);
  assert.equal(counterpart.jobs, 0);
  assert.equal(steps['reach']?.message, 'It answers.');
  const walked = Object.values(steps).filter((step) => step.walked);
  assert.deepEqual(
    walked.map(({ name }) => name),
    ['reach'],
  );
  for (const name of ['upload', 'render', 'invalid graph'])
    assert.equal(
      steps[name]?.message,
      'Not walked: a job may cost 0.02 USD at a provider. Allow it with --spend 0.02 or more.',
    );
});

test('as many jobs are asked for as the allowed amount pays', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  counterpart.resultOf = () => greyImage;
  const steps = await walkCheck(checkOpenaiImagesBackend, counterpart.base, 0.04);
  assert.equal(counterpart.jobs, 2);
  assert.equal(counterpart.forms.length, 1);
  assert.match(steps['upload']?.message ?? '', /^A picture went there, and its edit of \d+ bytes came back/);
  assert.equal(steps['render']?.message, `A result of ${greyImage.length} bytes came.`);
  assert.match(steps['invalid graph']?.message ?? '', /--spend 0\.06 or more/);
  assert.ok(Object.values(steps).every(({ ok }) => ok));
});

test('a refusal is a step that failed, of a wrong value one that works', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  // The edit is the first request.
  counterpart.mishaps('submit', { status: 400, json: { error: { message: 'edits are not offered' } } });
  counterpart.resultOf = () => greyImage;
  const steps = await walkCheck(checkOpenaiImagesBackend, counterpart.base, 1);
  assert.equal(steps['upload']?.ok, false);
  assert.match(steps['upload']?.message ?? '', /edits are not offered/);
  assert.equal(steps['render']?.ok, true);
  assert.equal(steps['invalid graph']?.ok, true);
  assert.match(steps['invalid graph']?.message ?? '', /prompt required/);
  assert.equal(counterpart.jobs, 1);
});

const server = process.env['SD_SERVER_URL'];
const skip = server === undefined ? 'SD_SERVER_URL names no stable-diffusion.cpp server' : false;

test('no step fails on a real server', { skip }, async (context) => {
  const steps = Object.values(await walkCheck(checkOpenaiImagesBackend, `${server}/v1`, 1));
  for (const { name, ok, message, seconds } of steps)
    context.diagnostic(`${ok ? 'ok' : 'FAILED'} ${name} (${seconds} s): ${message}`);
  assert.deepEqual(
    steps.filter(({ ok }) => !ok),
    [],
  );
});
