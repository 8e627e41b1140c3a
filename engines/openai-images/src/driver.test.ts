import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeMedia, testDriver } from '@renderkit/engine-kit/driver-conformance.ts';
import type { BoundValue, CreateDriver, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { newResultFolder } from '@renderkit/engine-kit/testing/result-folder.ts';
import { createOpenaiImagesDriver } from './driver.ts';
import { ImagesCounterpart, resultBytes } from './testing/counterpart.ts';

const route: Route = {
  name: 'generate',
  engine: 'openai-images',
  on: ['openai'],
  call: 'generations',
  body: { model: 'gpt-image-1', output_format: 'png' },
  set: { '/prompt': { text: '{prompt}' }, '/size': { text: '{width}x{height}' }, '/n': { from: 'outputs' } },
  outputs: { at: '/data/*/b64_json', kind: 'image', max_per_job: 2 },
  on_unknown: 'fail',
};
const values: BoundValue[] = [
  { target: '/prompt', kind: 'plain', value: 'a lake' },
  { target: '/size', kind: 'plain', value: '64x64' },
  { target: '/n', kind: 'plain', value: 2 },
];
const never = new AbortController().signal;
const job: EngineJob = { id: crypto.randomUUID(), route, files: new Map(), values, outputs: 2 };
const below: (path: string) => CreateDriver =
  (path) =>
  ({ backend, ...tools }) =>
    createOpenaiImagesDriver({ ...tools, backend: { ...backend, url: backend.url + path } });

testDriver({
  engine: 'openai-images',
  createDriver: below('/v1'),
  route,
  values,
  start: () => new ImagesCounterpart().start(),
  resultBytes,
  lost: { answer: 'unknown', request: 'unknown' },
  isSynchronous: true,
});

testDriver({
  engine: 'openai-images, with addresses',
  createDriver: below('/v1'),
  route: { ...route, outputs: { kind: 'image', max_per_job: 2 } },
  values,
  start: async () => Object.assign(await new ImagesCounterpart().start(), { givesAddresses: true }),
  resultBytes,
  lost: { answer: 'unknown', request: 'unknown' },
  isSynchronous: true,
  fetches: 'addresses',
});

function connect(counterpart: ImagesCounterpart): Driver {
  return createOpenaiImagesDriver({
    backend: { name: 'openai', url: counterpart.base, headers: {}, secret: 'sk-key', egressAllow: [] },
    log: { warn: () => {}, debug: () => {} },
  });
}

async function follow(driver: Driver, handle: Awaited<ReturnType<Driver['submit']>>) {
  return Array.fromAsync(driver.follow(handle, { ...job, folder: newResultFolder() }, never));
}

test('pictures are asked for in JSON, with nothing but the body and the values', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  await using driver = connect(counterpart);
  await follow(driver, await driver.submit(await driver.prepare(job, never), job.id, never));
  const [{ path, headers, json }] = counterpart.taken as [(typeof counterpart.taken)[number]];
  assert.deepEqual([path, headers['authorization']], ['/v1/images/generations', 'Bearer sk-key']);
  assert.deepEqual(json, {
    model: 'gpt-image-1',
    output_format: 'png',
    prompt: 'a lake',
    size: '64x64',
    n: 2,
  });
});

test('an edit is a form of texts, pictures and a mask', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  await using driver = connect(counterpart);
  const [one, two, mask] = [makeMedia('one'), makeMedia('two'), makeMedia('mask')];
  const bound: BoundValue[] = [
    ...values,
    { target: '/image', kind: 'media', media: [one, two], several: true },
    { target: '/mask', kind: 'media', media: [mask], several: false },
  ];
  const edit: EngineJob = { ...job, route: { ...route, call: 'edits' }, values: bound };
  await follow(driver, await driver.submit(await driver.prepare(edit, never), job.id, never));
  const [form] = counterpart.forms;
  assert.ok(form);
  const texts = await Promise.all(
    [...form].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()]),
  );
  assert.deepEqual(texts, [
    ['model', 'gpt-image-1'],
    ['output_format', 'png'],
    ['prompt', 'a lake'],
    ['size', '64x64'],
    ['n', '2'],
    ['image[]', 'picture one'],
    ['image[]', 'picture two'],
    ['mask', 'picture mask'],
  ]);
});

test('the time to submit is not the time to wait: its signal ends nothing once the request is on its way', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  await using driver = connect(counterpart);
  counterpart.held = true;
  const submitting = new AbortController();
  const handle = await driver.submit(await driver.prepare(job, never), job.id, submitting.signal);
  submitting.abort(new Error('too late to submit'));
  const following = follow(driver, handle);
  while (counterpart.jobs === 0) await new Promise((resolve) => setImmediate(resolve));
  counterpart.release();
  assert.equal((await following).at(-1)?.type, 'result');
});

test('an error says whose fault it is, and what a gateway says leaves the outcome unknown', async () => {
  const error = (more: JsonObject) => ({ error: { message: 'no', type: 'x', param: null, ...more } });
  const cases: [number, JsonObject | undefined, JsonObject][] = [
    [400, error({ code: 'moderation_blocked' }), { blame: 'render', code: 'moderation_blocked' }],
    [400, error({ param: 'size' }), { blame: 'render', code: 'invalid_request', target: '/size' }],
    [400, error({ param: 'model' }), { blame: 'pair', code: 'invalid_request' }],
    [400, error({ code: 'billing_hard_limit_reached' }), { blame: 'backend', lasting: true, untaken: true }],
    [429, error({ code: 'insufficient_quota' }), { blame: 'backend', lasting: true, untaken: true }],
    [429, error({ code: 'rate_limit_exceeded' }), { blame: 'backend', lasting: false, untaken: true }],
    [500, error({ code: 'server_error' }), { blame: 'backend', code: 'render_failed', untaken: false }],
    [503, error({ code: 'overloaded' }), { blame: 'backend', code: 'render_failed', untaken: false }],
    [503, undefined, { blame: 'backend', code: 'outcome_unknown' }],
    [408, error({ code: '408' }), { blame: 'backend', code: 'outcome_unknown', untaken: false }],
    [499, error({}), { blame: 'backend', code: 'outcome_unknown' }],
    [502, error({ code: 'upstream_error' }), { blame: 'backend', code: 'outcome_unknown' }],
    [504, undefined, { blame: 'backend', code: 'outcome_unknown' }],
    [504, { message: 'Endpoint request timed out' }, { blame: 'backend', code: 'outcome_unknown' }],
    [522, error({}), { blame: 'backend', code: 'outcome_unknown' }],
    [
      524,
      error({ message: 'bad response status code 524' }),
      { blame: 'backend', code: 'outcome_unknown', untaken: false },
    ],
  ];
  for (const [status, json, expected] of cases) {
    await using counterpart = await new ImagesCounterpart().start();
    await using driver = connect(counterpart);
    counterpart.mishaps('submit', { status, ...(json && { json }) });
    const handle = await driver.submit(await driver.prepare(job, never), job.id, never);
    await assert.rejects(follow(driver, handle), (failure) => {
      assert.partialDeepStrictEqual({ ...(failure as object) }, expected, `${status}`);
      return true;
    });
  }
});

test('what it cost is told by what was counted, where the route has prices for it', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  await using driver = connect(counterpart);
  const cost = {
    currency: 'USD',
    per_output: 0.1,
    measured: { per_million_text_tokens: 5, per_million_output_tokens: 40 },
  };
  const priced = { ...job, route: { ...route, cost } };
  const handle = await driver.submit(await driver.prepare(priced, never), job.id, never);
  const news = await Array.fromAsync(driver.follow(handle, { ...priced, folder: newResultFolder() }, never));
  const result = news.at(-1);
  assert.ok(result?.type === 'result');
  assert.equal(result.cost, 0.08006);
  const plain = await driver.submit(await driver.prepare(job, never), crypto.randomUUID(), never);
  const unpriced = (await follow(driver, plain)).at(-1);
  assert.ok(unpriced?.type === 'result');
  assert.equal(unpriced.cost, undefined);
});
