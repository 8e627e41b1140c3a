import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeMedia, testDriver } from '@renderkit/engine-kit/driver-conformance.ts';
import type { BoundValue, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { newResultFolder } from '@renderkit/engine-kit/testing/result-folder.ts';
import { createOpenaiVideosDriver } from './driver.ts';
import { VideosCounterpart, resultBytes } from './testing/counterpart.ts';
import { stageOf } from './video-state.ts';

const route: Route = {
  name: 'own',
  engine: 'openai-videos',
  on: ['omni'],
  body: { model: 'wan' },
  set: {
    '/prompt': { text: '{prompt}' },
    '/seconds': { from: 'duration_seconds', as: 'string' },
    '/size': { text: '{width}x{height}' },
    '/input_reference': { from: 'start_image' },
  },
  outputs: { kind: 'video', max_per_job: 1 },
};
const values: BoundValue[] = [
  { target: '/prompt', kind: 'plain', value: 'a lake' },
  { target: '/seconds', kind: 'plain', value: '4' },
  { target: '/size', kind: 'plain', value: '832x480' },
  { target: '/input_reference', kind: 'media', media: [makeMedia('start')], several: false },
];
const never = new AbortController().signal;
const job: EngineJob = { id: crypto.randomUUID(), route, files: new Map(), values, outputs: 1 };

/** A value that no other job has. */
const seed: BoundValue = { target: '/seed', kind: 'plain', value: 3_405_691_582 };

testDriver({
  engine: 'openai-videos',
  createDriver: ({ backend, ...tools }) =>
    createOpenaiVideosDriver({ ...tools, backend: { ...backend, url: `${backend.url}/v1` } }),
  route,
  values: [...values, seed],
  uniqueTargets: [seed.target],
  start: () => new VideosCounterpart().start(),
  resultBytes,
  lost: { answer: 'handle', request: 'absent' },
  fetches: 'addresses',
});

function connect(counterpart: VideosCounterpart): Driver {
  return createOpenaiVideosDriver({
    backend: { name: 'omni', url: `${counterpart.url}/v1`, headers: {}, secret: 'key', egressAllow: [] },
    log: { warn: () => {}, debug: () => {} },
    pollMs: { first: 1, quiet: 5 },
  });
}

async function submit(driver: Driver, asked = job) {
  return driver.submit(await driver.prepare(asked, never), job.id, never);
}

test('a video is asked for in a form, with its first frame as a file', async () => {
  await using counterpart = await new VideosCounterpart().start();
  await using driver = connect(counterpart);
  await submit(driver);
  const [form] = counterpart.forms;
  assert.ok(form);
  const file = form.get('input_reference');
  assert.ok(file instanceof File);
  assert.deepEqual([file.type, await file.text()], ['image/png', 'picture start']);
  form.delete('input_reference');
  assert.deepEqual(Object.fromEntries(form), {
    model: 'wan',
    prompt: 'a lake',
    seconds: '4',
    size: '832x480',
  });
});

test('a lost video is found however times are written, and never guessed', async () => {
  for (const timeOf of [
    undefined,
    (ms: number) => ms,
    (ms: number) => new Date(ms).toISOString(),
    (ms: number) => String(Math.floor(ms / 1_000)),
  ]) {
    await using counterpart = await new VideosCounterpart().start();
    if (timeOf !== undefined) counterpart.timeOf = timeOf;
    await using driver = connect(counterpart);
    const unlike: EngineJob = { ...job, values: [...values, seed], uniqueTargets: [seed.target] };
    const prepared = await driver.prepare(unlike, never);
    const find = () => driver.find(prepared, job.id, new Date(), never);
    assert.equal(await find(), 'absent');
    await submit(driver);
    // A server that shows no seed gives the same answer for any video with this prompt.
    assert.equal(await find(), 'unknowable');
    const handle = await submit(driver, unlike);
    assert.deepEqual(await find(), { handle });
    await submit(driver, unlike);
    assert.equal(await find(), 'unknown');
    counterpart.lists = false;
    assert.equal(await find(), 'unknown');
  }
});

test('a video that failed says whose fault it is', async () => {
  for (const [code, expected] of [
    ['moderation_blocked', { blame: 'render', code: 'moderation_blocked' }],
    ['invalid_image', { blame: 'render', code: 'invalid_request' }],
    ['server_error', { blame: 'backend', code: 'render_failed' }],
  ] as const) {
    await using counterpart = await new VideosCounterpart().start();
    await using driver = connect(counterpart);
    const handle = await submit(driver);
    counterpart.shows = { status: 'failed', error: { code, message: 'no' } };
    const following = driver.follow(handle, { ...job, folder: newResultFolder() }, never);
    await assert.rejects(Array.fromAsync(following), (error) => {
      assert.partialDeepStrictEqual({ ...(error as object) }, expected);
      return true;
    });
  }
});

test('a video that waits is deleted by a stop, one that runs is not', async () => {
  await using counterpart = await new VideosCounterpart().start();
  await using driver = connect(counterpart);
  assert.equal(await driver.cancel(await submit(driver), never), 'canceled');
  assert.equal(counterpart.asked.cancel, 1);
  counterpart.held = true;
  const handle = await submit(driver);
  for await (const news of driver.follow(handle, { ...job, folder: newResultFolder() }, never)) {
    if (news.type === 'progress' && news.stage === 'rendering') break;
  }
  assert.equal(await driver.cancel(handle, never), 'unknown');
  assert.equal(counterpart.asked.cancel, 1);
});

test('states and progress are read as servers write them', () => {
  for (const [shown, stage, fraction] of [
    [{ status: 'queued' }, 'waiting_for_engine', null],
    [{ status: 'in_progress', progress: 40 }, 'rendering', 0.4],
    [{ status: 'PROCESSING', progress: 0.25 }, 'rendering', 0.25],
    [{ status: 'running', progress: '70%' }, 'rendering', 0.7],
    [{ status: 'completed', progress: 100 }, 'ended', 1],
    [{ status: 'dreaming' }, null, null],
  ] as const) {
    assert.deepEqual(stageOf(shown as JsonObject), { stage, fraction });
  }
});
