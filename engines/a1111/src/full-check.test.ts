import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSteps, greyImage } from '@renderkit/engine-kit/full-check.ts';
import { walkCheck } from '@renderkit/engine-kit/testing/walk-check.ts';
import { checkA1111Backend } from './full-check.ts';
import { A1111Counterpart } from './testing/counterpart.ts';

test('a web interface is walked through the twelve steps, and those that it lacks are named', async () => {
  await using counterpart = await new A1111Counterpart().start();
  counterpart.resultOf = () => greyImage;
  const steps = await walkCheck(checkA1111Backend, counterpart.url);
  assert.deepEqual(Object.keys(steps), [...checkSteps]);
  for (const name of ['reach', 'submit with own id', 'upload', 'render'])
    assert.doesNotMatch(steps[name]?.message ?? '', /^Not there/, name);
  for (const name of ['version', 'fetch with a range', 'queue delete', 'cached run', 'restart'])
    assert.match(steps[name]?.message ?? '', /^Not there: /, name);
  assert.match(steps['invalid graph']?.message ?? '', /not a valid integer/);
  assert.ok(Object.values(steps).every(({ ok }) => ok));
  const edit = counterpart.taken.find(({ path }) => path.endsWith('/img2img'));
  assert.deepEqual(edit?.json?.['init_images'], [greyImage.toString('base64')]);
});

test('a job of the check that runs is ended by its id', async () => {
  await using counterpart = await new A1111Counterpart().start();
  counterpart.resultOf = () => greyImage;
  counterpart.holdsSlow = true;
  const { 'interrupt by id': interrupt, progress } = await walkCheck(checkA1111Backend, counterpart.url);
  assert.equal(interrupt?.message, 'A running job was ended by its id.');
  assert.match(progress?.message ?? '', /^It said \d+ times how far a job was\.$/);
  assert.equal(counterpart.interrupts, 1);
});

test('a server that tells nothing of its tasks still has its pictures tried', async () => {
  await using counterpart = await new A1111Counterpart().start();
  Object.assign(counterpart, { resultOf: () => greyImage, tellsTasks: false });
  const steps = await walkCheck(checkA1111Backend, counterpart.url);
  assert.match(steps['submit with own id']?.message ?? '', /^Not there: it does not tell of a job/);
  assert.match(steps['interrupt by id']?.message ?? '', /^Not there: the job ended before/);
  assert.equal(steps['render']?.message, `A result of ${greyImage.length} bytes came.`);
});

test('a result that is no picture, and a refusal, are steps that failed', async () => {
  await using counterpart = await new A1111Counterpart().start();
  const garbled = await walkCheck(checkA1111Backend, counterpart.url);
  assert.deepEqual(
    [garbled['render']?.ok, garbled['render']?.message],
    [false, 'The result is no picture and no video.'],
  );
  counterpart.resultOf = () => greyImage;
  counterpart.mishaps('submit', { status: 500, json: { detail: 'no checkpoint is loaded' } });
  const broken = await walkCheck(checkA1111Backend, counterpart.url);
  assert.match(broken['submit with own id']?.message ?? '', /no checkpoint is loaded/);
  assert.equal(broken['render']?.ok, true);
});

test('a server that is not there is one step', async () => {
  const counterpart = await new A1111Counterpart().start();
  const { url } = counterpart;
  await counterpart[Symbol.asyncDispose]();
  assert.deepEqual(Object.keys(await walkCheck(checkA1111Backend, url)), ['reach']);
});

const server = process.env['SD_SERVER_URL'];
const skip = server === undefined ? 'SD_SERVER_URL names no stable-diffusion.cpp server' : false;

test('no step but one fails on a real server', { skip }, async (context) => {
  const steps = Object.values(await walkCheck(checkA1111Backend, server ?? ''));
  for (const { name, ok, message, seconds } of steps)
    context.diagnostic(`${ok ? 'ok' : 'FAILED'} ${name} (${seconds} s): ${message}`);
  // stable-diffusion.cpp answers a value of another type with 500, which looks like its own error.
  const failed = steps.filter(({ ok, name }) => !ok && name !== 'invalid graph');
  assert.deepEqual(failed, []);
});
