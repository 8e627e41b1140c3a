import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeMedia, testDriver } from '@renderkit/engine-kit/driver-conformance.ts';
import type { BoundValue, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import { newResultFolder } from '@renderkit/engine-kit/testing/result-folder.ts';
import { createFalDriver } from './driver.ts';
import { FalCounterpart, resultBytes } from './testing/counterpart.ts';

const route: Route = {
  name: 'fal',
  engine: 'fal',
  on: ['fal'],
  endpoint: 'fal-ai/flux/dev',
  body: { num_inference_steps: 28 },
  set: {
    '/prompt': { text: '{prompt}' },
    '/image_size/width': { from: 'width' },
    '/num_images': { from: 'outputs' },
    '/image_url': { from: 'image' },
    '/output_format': { value: 'png' },
  },
  outputs: { at: '/images/*/url', nsfw_at: '/has_nsfw_concepts/*', kind: 'image', max_per_job: 2 },
  timeouts: { start: 120 },
};
const small = makeMedia('small.png');
const values: BoundValue[] = [
  { target: '/prompt', kind: 'plain', value: 'a lake' },
  { target: '/image_size/width', kind: 'plain', value: 64 },
  { target: '/num_images', kind: 'plain', value: 2 },
  { target: '/output_format', kind: 'plain', value: 'png' },
  { target: '/image_url', kind: 'media', media: [small], several: false },
];

/** A value that no other job has. */
const seed: BoundValue = { target: '/seed', kind: 'plain', value: 3_405_691_582 };

testDriver({
  engine: 'fal',
  createDriver: createFalDriver,
  route,
  values: [...values, seed],
  uniqueTargets: [seed.target],
  start: () => new FalCounterpart().start(),
  resultBytes,
  lost: { answer: 'handle', request: 'unknown' },
  fetches: 'addresses',
});

const never = new AbortController().signal;
const job: EngineJob = { id: crypto.randomUUID(), route, files: new Map(), values, outputs: 2 };

function connect(counterpart: FalCounterpart): Driver {
  return createFalDriver({
    backend: {
      name: 'fal',
      url: counterpart.url,
      headers: {},
      secret: 'fal-key',
      egressAllow: ['127.0.0.0/8'],
    },
    log: { warn: () => {}, debug: () => {} },
    pollMs: { first: 1, quiet: 5 },
  });
}

async function follow(driver: Driver, handle: Awaited<ReturnType<Driver['submit']>>) {
  return Array.fromAsync(driver.follow(handle, { ...job, folder: newResultFolder() }, never));
}

test('a call has the route’s body, the job’s values, small media as data URIs, and no tries of fal’s own', async () => {
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const handle = await driver.submit(await driver.prepare(job, never), job.id, never);
  assert.deepEqual(counterpart.inputs, [
    {
      num_inference_steps: 28,
      prompt: 'a lake',
      image_size: { width: 64 },
      num_images: 2,
      output_format: 'png',
      image_url: `data:image/png;base64,${Buffer.from('picture small.png').toString('base64')}`,
    },
  ]);
  const [headers] = counterpart.headersOfSubmits;
  assert.equal(headers?.['authorization'], 'Key fal-key');
  assert.equal(headers?.['x-fal-no-retry'], '1');
  assert.equal(headers?.['x-fal-request-timeout'], '120');
  const news = await follow(driver, handle);
  assert.deepEqual(news[0], { type: 'progress', stage: 'waiting_for_engine', fraction: null, position: 2 });
  const result = news.at(-1);
  assert.ok(result?.type === 'result');
  assert.deepEqual(
    result.files.map(({ nsfw }) => nsfw),
    [false, true],
  );
});

test('large media are put into fal’s storage first', async () => {
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const bytes = Buffer.alloc(5_000_001, 1);
  const large = makeMedia('large.png', bytes);
  const bound: BoundValue[] = [{ target: '/image_url', kind: 'media', media: [large], several: true }];
  await driver.submit(await driver.prepare({ ...job, values: bound }, never), job.id, never);
  assert.ok(counterpart.stored[0]?.equals(bytes));
  assert.deepEqual(counterpart.inputs[0]?.['image_url'], [`${counterpart.url}/stored/0`]);
});

test('a job that failed says whose fault it is', async () => {
  const detail = (loc: string[], type = 'value_error') => ({ detail: [{ loc, msg: 'is wrong', type }] });
  for (const [ends, expected] of [
    [
      { status: 422, json: detail(['body', 'image_size', 'width']) },
      { blame: 'render', code: 'invalid_request', target: '/image_size/width' },
    ],
    [
      { status: 422, json: detail(['body', 'output_format']) },
      { blame: 'pair', code: 'invalid_request' },
    ],
    [
      { status: 422, json: detail(['body', 'prompt'], 'content_policy_violation') },
      { blame: 'render', code: 'moderation_blocked' },
    ],
    [
      { status: 504, json: { detail: 'Request timed out', error_type: 'startup_timeout' } },
      { blame: 'backend', code: 'render_failed' },
    ],
    [
      { status: 409, json: { detail: 'The model is at it already' } },
      { blame: 'backend', code: 'render_failed' },
    ],
    [
      { status: 403, headers: { 'x-fal-error-type': 'forbidden' }, json: { detail: 'no' } },
      { blame: 'backend', code: 'render_failed', lasting: false },
    ],
    // 499 is a canceled job; the other statuses come from the model itself.
    ...[401, 402, 403, 404, 405, 408, 409, 410, 425, 429, 499].map(
      (status) =>
        [
          { status, json: { detail: 'no', error_type: 'its_own' } },
          { blame: 'backend', code: 'render_failed', lasting: false },
        ] as const,
    ),
  ] as const) {
    await using counterpart = await new FalCounterpart().start();
    await using driver = connect(counterpart);
    const handle = await driver.submit(await driver.prepare(job, never), job.id, never);
    counterpart.ends = ends;
    await assert.rejects(follow(driver, handle), (error) => {
      assert.partialDeepStrictEqual({ ...(error as object) }, expected);
      return true;
    });
  }
});

test('that fal does not hand a response out now is no end of the job', async () => {
  for (const status of [401, 402, 403, 429]) {
    await using counterpart = await new FalCounterpart().start();
    await using driver = connect(counterpart);
    const handle = await driver.submit(await driver.prepare(job, never), job.id, never);
    counterpart.ends = { status, json: { detail: 'Not now' } };
    const over = new AbortController();
    const following = follow(driver, handle).finally(() => over.abort());
    following.catch(() => {});
    // The job ends after three polls; further polls ask for its response again.
    while (counterpart.asked.look < 10 && !over.signal.aborted)
      await new Promise((resolve) => setImmediate(resolve));
    counterpart.ends = null;
    assert.equal((await following).at(-1)?.type, 'result', String(status));
  }
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const handle = await driver.submit(await driver.prepare(job, never), job.id, never);
  counterpart.ends = { status: 404, json: { detail: 'Request not found' } };
  await assert.rejects(follow(driver, handle), { code: 'outcome_unknown' });
});

test('two requests alike are not told apart, so neither is taken for ours', async () => {
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const unlike = { ...job, values: [...values, seed], uniqueTargets: [seed.target] };
  const prepared = await driver.prepare(unlike, never);
  await driver.submit(prepared, job.id, never);
  assert.equal(typeof (await driver.find(prepared, job.id, new Date(), never)), 'object');
  await driver.submit(prepared, job.id, never);
  assert.equal(await driver.find(prepared, job.id, new Date(), never), 'unknown');
  const known = await driver.prepare(job, never);
  assert.equal(await driver.find(known, job.id, new Date(), never), 'unknowable');
});

test('a route is held against the schema of its endpoint', async () => {
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const check = (change: Partial<Route>) =>
    driver.check({ route: { ...route, ...change }, files: new Map() }, never);
  assert.deepEqual(await check({}), []);
  assert.deepEqual(
    (await check({ body: { steps: 3, output_format: 'bmp' }, set: {} })).map(({ code }) => code),
    ['field_unknown', 'choice_unknown'],
  );
  assert.deepEqual(
    (await check({ endpoint: 'fal-ai/none' })).map(({ code }) => code),
    ['field_unknown'],
  );
});

test('what the fields that a route sets take is told by the same schema', async () => {
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const set = {
    '/prompt': { text: '{prompt}' },
    '/num_images': { from: 'outputs' },
    '/image_size/width': { from: 'width' },
    '/output_format': { from: 'sampler' },
    '/none': { value: 1 },
  } as const;
  const specs = await driver.targets?.({ route: { ...route, set }, files: new Map() }, never);
  assert.deepEqual(Object.fromEntries(specs ?? []), {
    '/prompt': { type: 'other' },
    '/num_images': { type: 'float', min: 1, max: 4 },
    '/image_size/width': { type: 'float', max: 14_142 },
    '/output_format': { type: 'other', choices: ['png', 'jpeg'] },
  });
});

test('the schema of its endpoint is read once per check', async () => {
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const asked = { route, files: new Map() };
  for (const signal of [new AbortController().signal, new AbortController().signal]) {
    const before = counterpart.asked.check;
    assert.deepEqual(await driver.check(asked, signal), []);
    await driver.targets?.(asked, signal);
    assert.equal(counterpart.asked.check, before + 1);
  }
});

test('what it cost is told by what was counted, where the route has prices for it', async () => {
  await using counterpart = await new FalCounterpart().start();
  await using driver = connect(counterpart);
  const cost = { currency: 'USD', per_render: 0.1, measured: { per_second: 0.01 } };
  const priced = { ...job, route: { ...route, cost } };
  const handle = await driver.submit(await driver.prepare(priced, never), job.id, never);
  const news = await Array.fromAsync(driver.follow(handle, { ...priced, folder: newResultFolder() }, never));
  const result = news.at(-1);
  assert.ok(result?.type === 'result');
  assert.equal(result.cost, 0.015);
  const plain = await driver.submit(await driver.prepare(job, never), crypto.randomUUID(), never);
  const unpriced = (await follow(driver, plain)).at(-1);
  assert.ok(unpriced?.type === 'result');
  assert.equal(unpriced.cost, undefined);
});
