import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BoundValue, Driver, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import { createOpenaiImagesDriver } from './driver.ts';
import { ImagesCounterpart } from './testing/counterpart.ts';

// stable-diffusion.cpp has OpenAI's API. The tests use its recorded answers, and the server itself where one runs.
const recorded = process.env['RECORDED_ANSWERS'];
const server = process.env['SD_SERVER_URL'];
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'sd-server-'));
after(() => rm(folder, { recursive: true }));
const route: Route = {
  name: 'own',
  engine: 'openai-images',
  on: ['sd'],
  call: 'generations',
  set: { '/prompt': { text: '{prompt}' }, '/size': { text: '{width}x{height}' } },
  outputs: { at: '/data/*/b64_json', kind: 'image', max_per_job: 1 },
};
const values: BoundValue[] = [
  { target: '/prompt', kind: 'plain', value: 'a dog' },
  { target: '/size', kind: 'plain', value: '64x64' },
];

function connect(url: string): Driver {
  return createOpenaiImagesDriver({
    backend: { name: 'sd', url, headers: {}, secret: undefined, egressAllow: [] },
    log: { warn: () => {}, debug: () => {} },
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
      const text = await readFile(join(recorded ?? '', 'sd-server', `${name}.json`), 'utf8');
      // Long texts were shortened in the recording.
      const { status, json } = JSON.parse(text.replaceAll(/…\(\d+ chars\)/g, '')) as {
        status: number;
        json?: JsonValue;
      };
      return { status, ...(json !== undefined && { json }) };
    };
    await using counterpart = await new ImagesCounterpart().start();
    await using driver = connect(counterpart.base);
    counterpart.mishaps('submit', await read('openai_generate'));
    assert.equal((await generate(driver)).subarray(1, 4).toString(), 'PNG');
    counterpart.mishaps('probe', await read('openai_models'));
    await driver.probe(never);
    for (const [name, blame] of [
      ['openai_no_prompt', 'render'],
      ['openai_edit_no_image', 'render'],
      ['openai_not_json', 'backend'],
      ['openai_videos_absent', 'pair'],
    ] as const) {
      counterpart.mishaps('submit', await read(name));
      await assert.rejects(generate(driver), { blame }, name);
    }
  },
);

test(
  'a real server makes a picture',
  { skip: server === undefined ? 'SD_SERVER_URL names no stable-diffusion.cpp server' : false },
  async () => {
    await using driver = connect(`${server}/v1`);
    await driver.probe(never);
    assert.equal((await generate(driver)).subarray(1, 4).toString(), 'PNG');
  },
);
