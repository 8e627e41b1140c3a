// Tests what facades send while their requests wait, and what they never log.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenderProgress } from '@renderkit/contract/studio/progress.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

const jpeg = Buffer.from('a JPEG').toString('base64');

type Started = { service: TestService; renders: ScriptedRenders } & AsyncDisposable;

/** Starts a service whose studio renders and meanwhile shows one preview after the other. */
async function start(): Promise<Started> {
  const service = await startTestService();
  const { studio } = service;
  const renders = scriptRenders(studio);
  studio.balance.lifetime_millicredits = 1_000_000;
  studio.script('getMetadata', {
    json: { studio_id: studio.studioId, issuer: `${studio.url}/oidc`, version: '1', progress: true },
  });
  let revision = 0;
  studio.script('readProgress', (_request, response) => {
    const { renders: asked } = JSON.parse(studio.seen.at(-1)?.body ?? '') as { renders: { token: string }[] };
    revision += 1;
    const account = studio.account.id;
    const body = { renders: asked.map(({ token }) => progressOf(account, token, revision)), ended: [] };
    // Answers after a delay, as a studio does that waits for a change.
    setTimeout(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)), 10);
  });
  return { service, renders, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

function progressOf(account: string, token: string, revision: number): RenderProgress {
  return {
    account,
    token,
    revision: String(revision),
    stage: 'rendering',
    fraction: 0.4,
    step: 4,
    steps: 10,
    outputs_done: 0,
    queue: null,
    starts_in_seconds: null,
    finishes_in_seconds: { low: 1, high: 2.5 },
    preview: { index: 0, revision, width: 1, height: 1, jpeg },
  };
}

const post = (service: TestService, path: string, key: string, body: object) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`x:${key}`)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const turn = () => new Promise((resolve) => setTimeout(resolve, 10));

/** Waits until a generation has the status, and returns its id. */
async function generationIn({ database }: TestService, status: string): Promise<string> {
  for (;;) {
    const rows = await database.rows<{ id: string }>('select id from generations where status = $1', [
      status,
    ]);
    if (rows[0] !== undefined) return rows[0].id;
    await turn();
  }
}

test('a stream of images shows as many pictures on the way as it may, and says how it failed', async () => {
  await using started = await start();
  const { service, renders } = started;
  const key = await service.createKey();
  const answer = await post(service, '/openai/v1/images/generations', key, {
    prompt: 'a lake',
    stream: true,
    partial_images: 2,
  });
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  let text = '';
  let isFinished = false;
  for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString();
    // Previews continue without end; a third one would be too many.
    if (isFinished || text.split('"partial_image_index"').length < 3) continue;
    isFinished = true;
    renders.finish(await generationIn(service, 'running'), { status: 'failed' });
  }
  const events = text.split('\n\n').filter((event) => event !== '');
  assert.deepEqual(
    events.map((event) => /^event: (.*)$/m.exec(event)?.[1]),
    ['image_generation.partial_image', 'image_generation.partial_image', 'error'],
  );
  const data = events.map(
    (event) => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '') as Record<string, unknown>,
  );
  assert.deepEqual(
    data.slice(0, 2).map((one) => [one['b64_json'], one['partial_image_index']]),
    [
      [jpeg, 0],
      [jpeg, 1],
    ],
  );
  const failure = data[2]?.['error'] as { code?: string } | undefined;
  assert.equal(failure?.code, 'generation_failed');
});

test("A1111's progress is the key's own, costs nothing of its minute, and an interrupt cancels what waits", async () => {
  await using started = await start();
  const { service, renders } = started;
  // Nothing starts.
  const none = { limit: 0, running: 0, running_elsewhere: 0 };
  renders.limits = { overall: none, image: none, edit: none, video: none };
  const key = await service.createKey({ rateLimitPerMinute: 6 });
  const other = await service.createKey();
  const drawing = post(service, '/sdapi/v1/txt2img', key, {
    prompt: 'a very private lighthouse',
    auth: 'x:hunter2',
    url: 'http://somewhere',
    steps: 20,
    seed: -1,
    denoising_strength: 0.7,
    sampler_name: 'Euler a',
    restore_faces: true,
  });
  await generationIn(service, 'queued');
  const progress = (whose: string) =>
    service.ask<{ progress: number; state: { job_count: number } }>('/sdapi/v1/progress', { key: whose });
  for (let poll = 0; poll < 12; poll++) {
    const { status, body } = await progress(key);
    assert.deepEqual([status, body.state.job_count], [200, 1]);
  }
  assert.equal((await progress(other)).body.state.job_count, 0);
  assert.equal((await post(service, '/sdapi/v1/interrupt', other, {})).status, 200);
  assert.equal((await progress(key)).body.state.job_count, 1, 'another key interrupts its own alone');
  assert.equal((await post(service, '/sdapi/v1/interrupt', key, {})).status, 200);
  const answer = await drawing;
  assert.deepEqual([answer.status, ((await answer.json()) as { error: string }).error], [500, 'canceled']);
  assert.equal(answer.headers.has('x-renderkit-credits'), true);
  assert.match(answer.headers.get('x-renderkit-ignored') ?? '', /restore_faces/);
  assert.deepEqual([(await progress(key)).body.progress, (await progress(key)).body.state.job_count], [0, 0]);
  const [counted] = await service.database.rows<{ requests: string }>(
    `select sum(requests) as requests from rate_windows w join api_keys k on k.id = w.key_id where k.public_id = $1`,
    [key.slice(8, 20)],
  );
  assert.equal(
    Number(counted?.requests),
    4,
    'a create, an interrupt and the two polls when nothing was there',
  );
});

test("A1111's choice of a model is one that makes pictures, or is refused", async () => {
  await using started = await start();
  const { service } = started;
  const key = await service.createKey();
  const chosen = async () =>
    (await service.ask<{ sd_model_checkpoint: string }>('/sdapi/v1/options', { key })).body
      .sd_model_checkpoint;
  const choose = (model: string) => post(service, '/sdapi/v1/options', key, { sd_model_checkpoint: model });
  assert.equal((await choose('brush')).status, 200);
  const refused = await choose('reel');
  assert.equal(refused.status, 422);
  assert.match(((await refused.json()) as { detail: string }).detail, /reel makes no pictures/);
  assert.equal(await chosen(), 'brush');
  // In the form in which earlier releases stored it.
  await service.database.execute("update facade_models set model = 'reel'");
  assert.equal(await chosen(), 'plain');
});

test('no word of what a program sent is in the log', async () => {
  await using started = await start();
  const { service } = started;
  const key = await service.createKey();
  await post(service, '/sdapi/v1/txt2img', key, { prompt: 'x'.repeat(5_000), auth: 'x:hunter2' });
  await post(service, '/openai/v1/images/generations', key, { prompt: 'a very private lighthouse', n: 11 });
  await post(service, '/openai/v1/chat/completions', key, { messages: 'a very private lighthouse' });
  assert.doesNotMatch(service.logged.join(''), /private|hunter2|xxxx/);
});

test("addresses of OpenAI's API that programs ask for by habit lead somewhere", async () => {
  await using started = await start();
  const { service } = started;
  const key = await service.createKey();
  const headers = { authorization: `Bearer ${key}` };
  const listed = async (path: string) => {
    const answer = await fetch(`${service.url}/openai/v1/${path}`, { headers });
    return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  assert.deepEqual(await listed('models/'), await listed('models'));
  const model = async (id: string) => {
    const answer = await fetch(`${service.url}/openai/v1/models/${id}`, { headers });
    return (await answer.json()) as {
      architecture: { input_modalities: string[] };
      error: { message: string };
    };
  };
  assert.equal((await model('reels')).error.message, 'There is no model reels; the nearest is reel.');
  assert.deepEqual((await model('plain')).architecture.input_modalities, ['text']);
  assert.deepEqual((await model('brush')).architecture.input_modalities, ['text', 'image']);
  assert.deepEqual((await model('reel')).architecture.input_modalities, ['text', 'image', 'video', 'audio']);
  const form = new FormData();
  form.append('image', new Blob([Buffer.from('a picture')]), 'boat.png');
  const refused = await fetch(`${service.url}/openai/v1/images/variations`, {
    method: 'POST',
    headers,
    body: form,
  });
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  assert.deepEqual([refused.status, error.code], [400, 'unsupported']);
  assert.match(error.message, /\/images\/edits/);
  assert.equal(refused.headers.get('x-should-retry'), 'false');
});

test('a wrong base URL, and routes that there are not, are told of in the shape that clients show', async () => {
  await using started = await start();
  const { service } = started;
  const key = await service.createKey();
  const sentences = {
    '/openai': /ends in \/openai\/v1/,
    '/openai/images/generations': /ends in \/openai\/v1/,
    '/openai/v1': /ends in \/openai\/v1/,
    '/openai/v1/v1/images/generations': /ends in \/openai\/v1/,
    '/openai/v1/responses': /\/chat\/completions .*openai\.chat\(id\).*openai\.image\(id\)/,
    '/openai/v1/completions': /\/chat\/completions /,
    '/openai/v1/embeddings': /^There is no such route here\.$/,
    '/openai/v1/models': /^There is no POST here; this path has GET\.$/,
  };
  for (const [path, sentence] of Object.entries(sentences)) {
    const answer = await post(service, path, key, {});
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    assert.deepEqual([answer.status, error.code], [404, 'not_found'], path);
    assert.match(error.message, sentence, path);
  }
});

test("a slash behind an agent's address changes nothing", async () => {
  await using started = await start();
  const { service } = started;
  const key = await service.createKey();
  const answers = await Promise.all(
    ['/mcp', '/mcp/'].map(async (path) => {
      const answer = await fetch(service.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      return [answer.status, await answer.text()];
    }),
  );
  assert.equal(answers[0]?.[0], 200);
  assert.deepEqual(answers[1], answers[0]);
});
