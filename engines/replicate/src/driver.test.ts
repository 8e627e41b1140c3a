import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeMedia, testDriver } from '@renderkit/engine-kit/driver-conformance.ts';
import type { BoundValue, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { newResultFolder } from '@renderkit/engine-kit/testing/result-folder.ts';
import { createReplicateDriver } from './driver.ts';
import { ReplicateCounterpart, resultBytes } from './testing/counterpart.ts';

const route: Route = {
  name: 'replicate',
  engine: 'replicate',
  on: ['replicate'],
  endpoint: 'black-forest-labs/flux-dev',
  body: { output_format: 'png' },
  set: {
    '/prompt': { text: '{prompt}' },
    '/num_outputs': { from: 'outputs' },
    '/image': { from: 'image' },
  },
  outputs: { at: '/*', kind: 'image', max_per_job: 2 },
  timeouts: { start: 300, run: 300 },
};
const small = makeMedia('small.png');
const values: BoundValue[] = [
  { target: '/prompt', kind: 'plain', value: 'a lake' },
  { target: '/num_outputs', kind: 'plain', value: 2 },
  { target: '/image', kind: 'media', media: [small], several: false },
];
const never = new AbortController().signal;
const job: EngineJob = { id: crypto.randomUUID(), route, files: new Map(), values, outputs: 2 };

/** A value that no other job has. */
const seed: BoundValue = { target: '/seed', kind: 'plain', value: 3_405_691_582 };

testDriver({
  engine: 'replicate',
  createDriver: ({ backend, ...tools }) =>
    createReplicateDriver({ ...tools, backend: { ...backend, url: `${backend.url}/v1` } }),
  route,
  values: [...values, seed],
  uniqueTargets: [seed.target],
  start: () => new ReplicateCounterpart().start(),
  resultBytes,
  lost: { answer: 'handle', request: 'absent' },
  fetches: 'addresses',
});

function connect(counterpart: ReplicateCounterpart): Driver {
  return createReplicateDriver({
    backend: { name: 'replicate', url: counterpart.base, headers: {}, secret: 'r8-key', egressAllow: [] },
    log: { warn: () => {}, debug: () => {} },
    pollMs: { first: 1, quiet: 5 },
  });
}

async function submit(driver: Driver, change: Partial<EngineJob> = {}) {
  return driver.submit(await driver.prepare({ ...job, ...change }, never), job.id, never);
}

async function follow(driver: Driver, handle: Awaited<ReturnType<Driver['submit']>>) {
  return Array.fromAsync(driver.follow(handle, { ...job, folder: newResultFolder() }, never));
}

test('models, versions and deployments each have their own address', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
  await using driver = connect(counterpart);
  for (const endpoint of ['a/b', 'a/b:v1', 'v2', 'deployments/a/b']) {
    await submit(driver, { route: { ...route, endpoint } });
  }
  assert.deepEqual(
    counterpart.taken.map(({ path, json }) => [path, json?.['version']]),
    [
      ['/v1/models/a/b/predictions', undefined],
      ['/v1/predictions', 'v1'],
      ['/v1/predictions', 'v2'],
      ['/v1/deployments/a/b/predictions', undefined],
    ],
  );
  const { headers, json } = counterpart.taken[0] ?? assert.fail();
  assert.deepEqual([headers['authorization'], headers['cancel-after']], ['Bearer r8-key', '720s']);
  assert.deepEqual(json?.['input'], {
    output_format: 'png',
    prompt: 'a lake',
    num_outputs: 2,
    image: `data:image/png;base64,${Buffer.from('picture small.png').toString('base64')}`,
  });
});

test('progress is what the log’s last bar says', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
  await using driver = connect(counterpart);
  const news = await follow(driver, await submit(driver));
  assert.deepEqual(news.slice(0, -1), [
    { type: 'progress', stage: 'waiting_for_engine', fraction: null },
    { type: 'progress', stage: 'rendering', fraction: 0.4 },
  ]);
});

test('a large file is given to Replicate first', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
  await using driver = connect(counterpart);
  const bytes = Buffer.alloc(5_000_001, 7);
  const media = [makeMedia('large.png', bytes)];
  await submit(driver, { values: [{ target: '/image', kind: 'media', media, several: false }] });
  const file = counterpart.stored[0]?.get('content');
  assert.ok(file instanceof File && Buffer.from(await file.arrayBuffer()).equals(bytes));
  assert.deepEqual(counterpart.taken[0]?.json?.['input'], {
    output_format: 'png',
    image: `${counterpart.base}/files/file`,
  });
});

test('a prediction is looked for until the list reaches back far enough, and is never guessed', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
  await using driver = connect(counterpart);
  const unlike = { ...job, values: [...values, seed], uniqueTargets: [seed.target] };
  const prepared = await driver.prepare(unlike, never);
  const find = () => driver.find(prepared, job.id, new Date(), never);
  assert.equal(await find(), 'absent');
  await submit(driver);
  assert.equal(await find(), 'absent');
  await submit(driver, unlike);
  for (let others = 0; others < 4; others += 1) await submit(driver, { route: { ...route, body: {} } });
  const pagesBefore = counterpart.asked.find;
  assert.equal(typeof (await find()), 'object');
  assert.ok(counterpart.asked.find - pagesBefore > 2);
  await submit(driver, unlike);
  assert.equal(await find(), 'unknown');
  const known = await driver.prepare(job, never);
  assert.equal(await driver.find(known, job.id, new Date(), never), 'unknowable');
  counterpart.removeData();
  assert.equal(await find(), 'unknown');
});

test('a prediction that made nothing says whose fault it is', async () => {
  const cases: [JsonObject, JsonObject][] = [
    [
      { status: 'failed', error: 'NSFW content detected.' },
      { blame: 'render', code: 'moderation_blocked' },
    ],
    [
      { status: 'failed', error: 'CUDA out of memory' },
      { blame: 'pair', code: 'out_of_memory' },
    ],
    [
      { status: 'failed', error: 'Prediction interrupted; please retry (code: PA)' },
      { blame: 'backend', code: 'render_failed' },
    ],
    [
      { status: 'failed', error: 'list index out of range' },
      { blame: 'render', code: 'render_failed' },
    ],
    [{ status: 'canceled' }, { blame: 'backend', code: 'render_failed' }],
    [{ status: 'aborted' }, { blame: 'backend', code: 'render_timeout' }],
    [
      { output: null, data_removed: true },
      { blame: 'backend', badResult: true },
    ],
  ];
  for (const [ends, expected] of cases) {
    await using counterpart = await new ReplicateCounterpart().start();
    await using driver = connect(counterpart);
    const handle = await submit(driver);
    counterpart.ends = ends;
    await assert.rejects(follow(driver, handle), (error) => {
      assert.partialDeepStrictEqual({ ...(error as object) }, expected);
      return true;
    });
  }
});

test('a route is held against the schema of its model', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
  await using driver = connect(counterpart);
  const codes = async (change: Partial<Route>) => {
    const problems = await driver.check({ route: { ...route, ...change }, files: new Map() }, never);
    return problems.map(({ code }) => code);
  };
  assert.deepEqual(await codes({}), []);
  assert.deepEqual(await codes({ body: { output_format: 'bmp', steps: 1 } }), [
    'field_unknown',
    'choice_unknown',
  ]);
  assert.deepEqual(await codes({ endpoint: 'a/none' }), ['field_unknown']);
  const set = { '/num_outputs': { from: 'outputs' }, '/output_format': { from: 'sampler' } } as const;
  const specs = await driver.targets?.({ route: { ...route, set }, files: new Map() }, never);
  assert.deepEqual(Object.fromEntries(specs ?? []), {
    '/num_outputs': { type: 'float', min: 1, max: 4 },
    '/output_format': { type: 'other', choices: ['webp', 'png'] },
  });
});

test('the schema of its model is read once per check', async () => {
  await using counterpart = await new ReplicateCounterpart().start();
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
  await using counterpart = await new ReplicateCounterpart().start();
  await using driver = connect(counterpart);
  const cost = { currency: 'USD', per_render: 0.1, measured: { per_second: 0.001 } };
  const priced = { ...job, route: { ...route, cost } };
  const handle = await driver.submit(await driver.prepare(priced, never), job.id, never);
  const news = await Array.fromAsync(driver.follow(handle, { ...priced, folder: newResultFolder() }, never));
  const result = news.at(-1);
  assert.ok(result?.type === 'result');
  assert.equal(result.cost, 0.0025);
  const plain = await driver.submit(await driver.prepare(job, never), crypto.randomUUID(), never);
  const unpriced = (await follow(driver, plain)).at(-1);
  assert.ok(unpriced?.type === 'result');
  assert.equal(unpriced.cost, undefined);
});
