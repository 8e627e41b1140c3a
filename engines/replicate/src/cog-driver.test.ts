import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { testDriver } from '@renderkit/engine-kit/driver-conformance.ts';
import type { BoundValue, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import { newResultFolder } from '@renderkit/engine-kit/testing/result-folder.ts';
import { createReplicateDriver } from './driver.ts';
import { CogCounterpart, cogResultBytes } from './testing/cog-counterpart.ts';

const route: Route = {
  name: 'own',
  engine: 'replicate',
  on: ['cog'],
  endpoint: 'predictions',
  body: { width: 64 },
  set: { '/prompt': { text: '{prompt}' }, '/count': { from: 'outputs' } },
  outputs: { at: '/*', kind: 'image', max_per_job: 2 },
};
const values: BoundValue[] = [
  { target: '/prompt', kind: 'plain', value: 'a lake' },
  { target: '/count', kind: 'plain', value: 2 },
];
const never = new AbortController().signal;
const job: EngineJob = { id: crypto.randomUUID(), route, files: new Map(), values, outputs: 2 };

testDriver({
  engine: 'replicate, a Cog server',
  createDriver: createReplicateDriver,
  route,
  values,
  start: () => new CogCounterpart().start(),
  resultBytes: cogResultBytes,
  lost: { answer: 'unknown', request: 'unknown' },
  isSynchronous: true,
});

function connect(counterpart: CogCounterpart): Driver {
  return createReplicateDriver({
    backend: { name: 'cog', url: counterpart.url, headers: {}, secret: undefined, egressAllow: [] },
    log: { warn: () => {}, debug: () => {} },
  });
}

async function submit(driver: Driver, id = job.id) {
  return driver.submit(await driver.prepare(job, never), id, never);
}

const follow = (driver: Driver, handle: JsonValue) =>
  Array.fromAsync(driver.follow(handle, { ...job, folder: newResultFolder() }, never));

test('a prediction goes under the submission’s id, and is canceled by it', async () => {
  await using counterpart = await new CogCounterpart().start();
  await using driver = connect(counterpart);
  counterpart.held = true;
  const handle = await submit(driver);
  while (counterpart.jobs === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(counterpart.taken[0]?.path, `/predictions/${job.id}`);
  assert.deepEqual(counterpart.taken[0]?.json, { input: { width: 64, prompt: 'a lake', count: 2 } });
  await using other = connect(counterpart);
  const again = { blame: 'backend', retryAfterSeconds: 5, untaken: false };
  await assert.rejects(follow(other, await submit(other)), again);
  const busy = await submit(other, crypto.randomUUID());
  await assert.rejects(follow(other, busy), { blame: 'backend', retryAfterSeconds: 5, untaken: true });
  assert.equal(await driver.cancel(handle, never), 'canceled');
  await assert.rejects(follow(driver, handle), { blame: 'backend', code: 'render_failed', untaken: false });
  assert.equal(await driver.cancel(handle, never), 'too_late');
  assert.equal(counterpart.jobs, 1);
});

test('a server that is not set up is not alive, and a field it does not have is told', async () => {
  await using counterpart = await new CogCounterpart().start();
  await using driver = connect(counterpart);
  counterpart.health = 'SETUP_FAILED';
  await assert.rejects(driver.probe(never), { message: 'cog is not ready: SETUP_FAILED.' });
  const check = (body: Route['body']) =>
    driver.check({ route: { ...route, body: body ?? {} }, files: new Map() }, never);
  assert.deepEqual(await check({ width: 1 }), []);
  assert.equal((await check({ steps: 1 }))[0]?.code, 'field_unknown');
  const specs = await driver.targets?.({ route, files: new Map() }, never);
  assert.deepEqual([...(specs?.keys() ?? [])], Object.keys(route.set));
});

test('the schema of its model is read once per check', async () => {
  await using counterpart = await new CogCounterpart().start();
  await using driver = connect(counterpart);
  const asked = { route, files: new Map() };
  for (const signal of [new AbortController().signal, new AbortController().signal]) {
    const before = counterpart.asked.check;
    await driver.check(asked, signal);
    await driver.targets?.(asked, signal);
    assert.equal(counterpart.asked.check, before + 1);
  }
});

const recorded = process.env['RECORDED_ANSWERS'];
const skip = recorded === undefined ? 'RECORDED_ANSWERS names no recorded answers' : false;

test('the driver reads what a real Cog server answered', { skip }, async () => {
  const read = async (name: string) => {
    const text = await readFile(join(recorded ?? '', 'cog', `${name}.json`), 'utf8');
    return JSON.parse(text) as { status: number; json: JsonValue };
  };
  for (const [name, expected] of [
    ['bad_input', { blame: 'render', code: 'invalid_request', target: '/prompt' }],
    ['busy', { blame: 'backend', code: 'render_failed', retryAfterSeconds: 5 }],
    ['failed', { blame: 'render', code: 'render_failed' }],
    ['same_id_again', { blame: 'backend', retryAfterSeconds: 5 }],
  ] as const) {
    await using counterpart = await new CogCounterpart().start();
    await using driver = connect(counterpart);
    counterpart.mishaps('submit', await read(name));
    const handle = await submit(driver);
    await assert.rejects(follow(driver, handle), (error) => {
      assert.partialDeepStrictEqual({ ...(error as object) }, expected, name);
      return true;
    });
  }
  await using counterpart = await new CogCounterpart().start();
  await using driver = connect(counterpart);
  counterpart.mishaps('submit', await read('sync'));
  const result = (await follow(driver, await submit(driver))).at(-1);
  assert.ok(result?.type === 'result' && result.files[0] !== undefined);
  assert.equal((await readFile(result.files[0].path)).subarray(1, 4).toString(), 'PNG');
  counterpart.mishaps('probe', await read('health'));
  assert.equal((await driver.probe(never)).queue, 0);
  counterpart.mishaps('check', await read('openapi'));
  const unknown = { route: { ...route, body: { steps: 1 }, set: {} }, files: new Map() };
  assert.equal((await driver.check(unknown, never))[0]?.code, 'field_unknown');
});
