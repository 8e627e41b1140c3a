import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BoundValue, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { JsonObject, JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import { createA1111Driver } from './driver.ts';
import { A1111Counterpart } from './testing/counterpart.ts';

// stable-diffusion.cpp has A1111's API. The tests use its recorded answers, and the server itself where one runs.
const recorded = process.env['RECORDED_ANSWERS'];
const server = process.env['SD_SERVER_URL'];
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'sd-server-'));
after(() => rm(folder, { recursive: true }));
const route: Route = {
  name: 'own',
  engine: 'a1111',
  on: ['sd'],
  call: 'txt2img',
  body: { steps: 2, width: 64, height: 64 },
  set: { '/prompt': { text: '{prompt}' } },
  outputs: { at: '/images/*', kind: 'image', max_per_job: 1 },
};
const values: BoundValue[] = [{ target: '/prompt', kind: 'plain', value: 'a dog' }];

function connect(url: string): Driver {
  return createA1111Driver({
    backend: { name: 'sd', url, headers: {}, secret: undefined, egressAllow: [] },
    log: { warn: () => {}, debug: () => {} },
    pollMs: { first: 5, quiet: 100 },
  });
}

async function generate(driver: Driver) {
  const job: EngineJob = { id: crypto.randomUUID(), route, files: new Map(), values, outputs: 1 };
  const handle = await driver.submit(await driver.prepare(job, never), job.id, never);
  const last = (await Array.fromAsync(driver.follow(handle, { ...job, folder }, never))).at(-1);
  assert.ok(last?.type === 'result' && last.files[0] !== undefined);
  return readFile(last.files[0].path);
}

test(
  'the driver reads what a real server answered',
  { skip: recorded === undefined ? 'RECORDED_ANSWERS names no recorded answers' : false },
  async () => {
    const read = async (name: string) => {
      const text = await readFile(join(recorded ?? '', 'sd-server', `sdapi_${name}.json`), 'utf8');
      // Long texts were shortened in the recording.
      const { status, json } = JSON.parse(text.replaceAll(/…\(\d+ chars\)/g, '')) as {
        status: number;
        json?: JsonValue;
      };
      return { status, ...(json !== undefined && { json }) };
    };
    await using counterpart = await new A1111Counterpart().start();
    await using driver = connect(counterpart.url);
    for (const name of ['txt2img', 'img2img']) {
      counterpart.mishaps('submit', await read(name));
      counterpart.mishaps('look', await read('progress'));
      assert.equal((await generate(driver)).subarray(1, 4).toString(), 'PNG', name);
    }
    counterpart.mishaps('submit', await read('bad'));
    await assert.rejects(generate(driver), { blame: 'render', code: 'invalid_request' });
    counterpart.mishaps('probe', await read('sd-models'));
    await driver.probe(never);
    const check = async (body: JsonObject) => {
      counterpart.mishaps('check', await read('samplers'));
      counterpart.mishaps('probe', await read('sd-models'));
      return driver.check({ route: { ...route, body }, files: new Map() }, never);
    };
    const checkpoint = (name: string) => ({ override_settings: { sd_model_checkpoint: name } });
    assert.deepEqual(await check({ sampler_name: 'Euler a', ...checkpoint('tiny-sd1') }), []);
    assert.deepEqual(
      (await check({ sampler_name: 'none', ...checkpoint('large') })).map(({ code }) => code),
      ['choice_unknown', 'file_missing'],
    );
  },
);

test(
  'a real server makes a picture, and a stop does not reach others',
  { skip: server === undefined ? 'SD_SERVER_URL names no stable-diffusion.cpp server' : false },
  async () => {
    await using driver = connect(server ?? '');
    await driver.probe(never);
    assert.equal((await generate(driver)).subarray(1, 4).toString(), 'PNG');
    // The server does not report tasks, so nothing is interrupted.
    assert.equal(await driver.cancel(crypto.randomUUID(), never), 'unknown');
  },
);
