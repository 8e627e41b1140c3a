import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { makeMedia, testDriver } from '@renderkit/engine-kit/driver-conformance.ts';
import type { BoundValue, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { newResultFolder } from '@renderkit/engine-kit/testing/result-folder.ts';
import { createA1111Driver } from './driver.ts';
import { A1111Counterpart, resultBytes } from './testing/counterpart.ts';

const route: Route = {
  name: 'own',
  engine: 'a1111',
  on: ['webui'],
  call: 'txt2img',
  body: { steps: 20, sampler_name: 'Euler a' },
  set: { '/prompt': { text: '{prompt}' }, '/batch_size': { from: 'outputs' }, '/cfg_scale': { from: 'cfg' } },
  outputs: { at: '/images/*', kind: 'image', max_per_job: 2 },
  on_unknown: 'retry',
};
const values: BoundValue[] = [
  { target: '/prompt', kind: 'plain', value: 'a lake' },
  { target: '/batch_size', kind: 'plain', value: 2 },
];
const never = new AbortController().signal;
const job: EngineJob = { id: crypto.randomUUID(), route, files: new Map(), values, outputs: 2 };

testDriver({
  engine: 'a1111',
  createDriver: createA1111Driver,
  route,
  values,
  start: () => new A1111Counterpart().start(),
  resultBytes,
  lost: { answer: 'handle', request: 'absent' },
  isSynchronous: true,
});

testDriver({
  engine: 'a1111, of a server that tells nothing of its tasks',
  createDriver: createA1111Driver,
  route,
  values,
  start: async () => Object.assign(await new A1111Counterpart().start(), { tellsTasks: false }),
  resultBytes,
  lost: { answer: 'unknown', request: 'unknown' },
  isSynchronous: true,
});

function connect(counterpart: A1111Counterpart): Driver {
  return createA1111Driver({
    backend: { name: 'webui', url: counterpart.url, headers: {}, secret: undefined, egressAllow: [] },
    log: { warn: () => {}, debug: () => {} },
    pollMs: { first: 1, quiet: 5 },
  });
}

async function submit(driver: Driver, change: Partial<EngineJob> = {}) {
  return driver.submit(await driver.prepare({ ...job, ...change }, never), job.id, never);
}

function follow(driver: Driver, handle: Awaited<ReturnType<Driver['submit']>>) {
  return driver.follow(handle, { ...job, folder: newResultFolder() }, never);
}

async function untilTaken(counterpart: A1111Counterpart): Promise<void> {
  await until('a job', () => counterpart.jobs > 0, { everyMs: 0 });
}

test('an edit carries its pictures as base64, at their places, under an id of ours', async () => {
  await using counterpart = await new A1111Counterpart().start();
  await using driver = connect(counterpart);
  const [image, mask] = [makeMedia('image'), makeMedia('mask')];
  const bound: BoundValue[] = [
    { target: '/init_images/0', kind: 'media', media: [image], several: false },
    { target: '/mask', kind: 'media', media: [mask], several: false },
  ];
  const handle = await submit(driver, { route: { ...route, call: 'img2img' }, values: bound });
  await Array.fromAsync(follow(driver, handle));
  const [{ path, json }] = counterpart.taken as [(typeof counterpart.taken)[number]];
  assert.equal(path, '/sdapi/v1/img2img');
  assert.deepEqual(json, {
    send_images: true,
    save_images: false,
    steps: 20,
    sampler_name: 'Euler a',
    init_images: [Buffer.from('picture image').toString('base64')],
    mask: Buffer.from('picture mask').toString('base64'),
    force_task_id: job.id,
  });
});

test('progress is told while the answer is waited for', async () => {
  await using counterpart = await new A1111Counterpart().start();
  await using driver = connect(counterpart);
  counterpart.held = true;
  const handle = await submit(driver);
  await untilTaken(counterpart);
  const news: unknown[] = [];
  for await (const one of follow(driver, handle)) {
    news.push(one);
    counterpart.release();
  }
  assert.deepEqual(news[0], { type: 'progress', stage: 'rendering', fraction: 0.4 });
});

test('another process waits for the task to end before it is made anew', async () => {
  await using counterpart = await new A1111Counterpart().start();
  await using driver = connect(counterpart);
  await using other = connect(counterpart);
  counterpart.held = true;
  const handle = await submit(driver);
  await untilTaken(counterpart);
  const found = await other.find(await other.prepare(job, never), job.id, new Date(), never);
  assert.deepEqual(found, { handle });
  const following = follow(other, handle)[Symbol.asyncIterator]();
  assert.equal((await following.next()).done, false);
  counterpart.release();
  await assert.rejects(
    async () => {
      while ((await following.next()).done !== true);
    },
    { code: 'render_failed', blame: 'backend' },
  );
});

test('an interrupt is sent only while our task runs and no other waits', async () => {
  for (const [state, outcome, interrupts] of [
    [{}, 'canceled', 1],
    [{ othersWaiting: 1 }, 'unknown', 0],
    [{ foreignRuns: true }, 'unknown', 0],
    [{ tellsTasks: false }, 'unknown', 0],
  ] as const) {
    await using counterpart = await new A1111Counterpart().start();
    await using driver = connect(counterpart);
    counterpart.held = true;
    const handle = await submit(driver);
    await untilTaken(counterpart);
    Object.assign(counterpart, state);
    assert.equal(await driver.cancel(handle, never), outcome, JSON.stringify(state));
    assert.deepEqual([counterpart.interrupts, counterpart.endedForeign], [interrupts, false]);
    counterpart.release();
  }
});

test('an error says whose fault it is', async () => {
  const wrong = (...loc: string[]) => ({
    detail: [{ loc: ['body', ...loc], msg: 'is wrong', type: 'value' }],
  });
  const cases: [number, JsonObject | undefined, JsonObject][] = [
    [422, wrong('cfg_scale'), { blame: 'render', code: 'invalid_request', target: '/cfg_scale' }],
    [422, wrong('steps'), { blame: 'pair', code: 'invalid_request' }],
    [404, { detail: 'Sampler not found' }, { blame: 'pair' }],
    [500, { error: 'OutOfMemoryError', errors: 'CUDA' }, { blame: 'pair', code: 'out_of_memory' }],
    [500, { error: 'TypeError', errors: 'x' }, { blame: 'backend', code: 'render_failed' }],
    [502, undefined, { blame: 'backend', code: 'outcome_unknown' }],
    [504, { detail: 'upstream timed out' }, { blame: 'backend', code: 'outcome_unknown' }],
    [429, { detail: 'Too many requests' }, { blame: 'backend', code: 'render_failed', untaken: true }],
  ];
  for (const [status, json, expected] of cases) {
    await using counterpart = await new A1111Counterpart().start();
    await using driver = connect(counterpart);
    counterpart.mishaps('submit', { status, ...(json && { json }) });
    const handle = await submit(driver);
    const asked = { ...job, route: { ...route, on_unknown: 'fail' }, folder: newResultFolder() } as const;
    await assert.rejects(Array.fromAsync(driver.follow(handle, asked, never)), (failure) => {
      assert.partialDeepStrictEqual({ ...(failure as object) }, expected, `${status}`);
      return true;
    });
  }
});

test('samplers and checkpoints that the server lacks are told', async () => {
  await using counterpart = await new A1111Counterpart().start();
  await using driver = connect(counterpart);
  const check = async (body: JsonObject, set: Route['set'] = {}) => {
    const problems = await driver.check({ route: { ...route, body, set }, files: new Map() }, never);
    return problems.map(({ code }) => code);
  };
  assert.deepEqual(await check({ sampler_name: 'Euler a', scheduler: 'karras' }), []);
  assert.deepEqual(
    await check(
      { override_settings: { sd_model_checkpoint: 'none' } },
      { '/sampler_name': { from: 'sampler', map: { fast: 'Euler a', good: 'DPM' } } },
    ),
    ['choice_unknown', 'file_missing'],
  );
  const set = { '/sampler_name': { from: 'sampler' }, '/seed': { from: 'seed' } } as const;
  const specs = await driver.targets?.({ route: { ...route, set }, files: new Map() }, never);
  assert.deepEqual([...(specs?.keys() ?? [])], ['/sampler_name']);
  const spec = specs?.get('/sampler_name');
  assert.deepEqual(spec?.choices, ['Euler a']);
  assert.deepEqual(
    ['euler_a', 'DPM', 'Euler a Karras', 'Euler a Beta'].map((name) => spec?.isChoice?.(name)),
    [true, false, true, false],
  );
});

test('each list is read once per check', async () => {
  await using counterpart = await new A1111Counterpart().start();
  await using driver = connect(counterpart);
  const body = { sampler_name: 'Euler a', scheduler: 'karras' };
  const fixed = { route: { ...route, body, set: {} }, files: new Map() };
  const set = { '/sampler_name': { from: 'sampler' } } as const;
  const asked = { route: { ...route, body: {}, set }, files: new Map() };
  for (const signal of [new AbortController().signal, new AbortController().signal]) {
    const before = counterpart.asked.check;
    assert.deepEqual(await driver.check(fixed, signal), []);
    await driver.targets?.(asked, signal);
    assert.equal(counterpart.asked.check, before + 2, 'samplers and schedulers');
  }
});

test('a sampler with a scheduler after its name is taken by servers that tell schedulers', async () => {
  await using counterpart = await new A1111Counterpart().start();
  await using driver = connect(counterpart);
  const check = async (name: string) => {
    const body = { sampler_name: name };
    const asked = { route: { ...route, body, set: {} }, files: new Map() };
    const problems = await driver.check(asked, new AbortController().signal);
    return problems.map(({ code }) => code);
  };
  assert.deepEqual(await check('Euler a Karras'), []);
  assert.deepEqual(await check('Karras'), ['choice_unknown']);
  assert.deepEqual(await check('Euler Karras'), ['choice_unknown']);
  assert.deepEqual(await check('Euler a Beta'), ['choice_unknown']);
  counterpart.tellsSchedulers = false;
  assert.deepEqual(await check('Euler a Karras'), ['choice_unknown']);
});
