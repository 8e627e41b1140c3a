import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Preview, Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import { startComfyCounterpart } from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { firstWorkflow } from '@renderkit/engine-comfyui/testing/first-workflow.ts';
import sharp from 'sharp';
import { createClient, type Generation } from './harness/client.ts';
import { type Platform, type PlatformAccount, startPlatform } from '@renderkit/stack/testing/platform.ts';

// Tests events from the engine to the client's socket: two real services, the real studio and its worker.

const checkpoint = 'harbour.safetensors';
const samplerSteps = 1_000;

let platform: Platform;
let who: PlatformAccount;
let key: string;
before(async () => {
  platform = await startPlatform({ services: 2 });
  who = await platform.createAccount({ tier: 'pro' });
  key = await platform.createKey(who);
});
after(() => platform[Symbol.asyncDispose]());

const client = (service = 0) => createClient(platform.serviceUrls[service] ?? '', key);

type Event = { event: string; data: unknown };

/** Yields the events of a stream until it ends by itself. */
async function* read(id: string, { service = 0, query = '' } = {}): AsyncGenerator<Event> {
  const answer = await fetch(`${platform.serviceUrls[service]}/v1/generations/${id}/events${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  assert.equal(answer.headers.get('x-accel-buffering'), 'no');
  let text = '';
  for await (const chunk of (answer.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== '') yield { event, data: JSON.parse(data) as unknown };
    }
  }
}

const watch = (id: string, options = {}): Promise<Event[]> => Array.fromAsync(read(id, options));

const of = <T>(events: readonly Event[], name: string): T[] =>
  events.filter(({ event }) => event === name).map(({ data }) => data as T);

const film = { prompt: 'clouds drift over mountains', duration: 3 };

test('a stream tells a generation from its snapshot to its end, with how it looks meanwhile', async () => {
  // A picture may be finished before the stream opens; a video takes longer.
  const { body } = await client().call<Generation>('POST', '/v1/videos/generations', { body: film });
  const [first, other] = await Promise.all([
    watch(body.id, { query: '?preview=inline' }),
    watch(body.id, { service: 1, query: '?preview=none' }),
  ]);
  for (const events of [first, other]) {
    assert.equal(events[0]?.event, 'generation');
    assert.equal(events.at(-1)?.event, 'done');
    assert.deepEqual(events.at(-1)?.data, (await client().read(body.id)).body);
    const progress = of<Progress>(events, 'progress');
    assert.equal(progress.at(-1)?.stage, 'done');
    assert.equal(progress.at(-1)?.fraction, 1);
    assert.ok(progress.some(({ stage }) => stage === 'rendering'));
    const fractions = progress.flatMap(({ fraction }) => (fraction === null ? [] : [fraction]));
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
    );
  }
  assert.deepEqual(of(other, 'preview'), []);
  const previews = of<Preview>(first, 'preview');
  assert.ok(previews.length > 0);
  for (const { url, width, height } of previews) {
    const bytes = Buffer.from(url.replace('data:image/jpeg;base64,', ''), 'base64');
    const image = await sharp(bytes).metadata();
    assert.deepEqual([image.format, image.width, image.height], ['jpeg', width, height]);
    assert.ok(Math.max(width, height) <= 384 && bytes.length <= 32 * 1024);
  }
});

test('a link of a preview leads to its bytes, and to nothing once the generation has ended', async () => {
  const made = await client().call<Generation>('POST', '/v1/videos/generations', { body: film });
  const { id } = made.body;
  const open = (path: string, more = {}) =>
    fetch(`${platform.serviceUrls[1]}${path}`, { headers: { authorization: `Bearer ${key}`, ...more } });
  let link: string | undefined;
  for await (const { event, data } of read(id)) {
    if (event !== 'preview' || link !== undefined) continue;
    link = (data as Preview).url;
    assert.match(link, new RegExp(`^/v1/generations/${id}/previews/0\\?r=\\d+$`));
    const answer = await open(link);
    assert.equal(answer.headers.get('content-type'), 'image/jpeg');
    assert.ok(answer.headers.get('etag')?.startsWith(`"${id}-0-`));
    assert.equal((await sharp(await answer.arrayBuffer()).metadata()).format, 'jpeg');
  }
  assert.equal((await open(link ?? '')).status, 404);
  // A stream of an ended generation reports this at once.
  const again = await watch(id);
  assert.deepEqual(
    again.map(({ event }) => event),
    ['generation', 'progress', 'done'],
  );
});

test("what a ComfyUI says through its socket is what a client's stream tells", async () => {
  // It samples until the stream has reported enough, however slow the machine is.
  await using comfy = await startComfyCounterpart({
    checkpoints: [checkpoint],
    steps: { KSampler: samplerSteps },
    previews: 'with_metadata',
    nodeMs: 50,
  });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'renderkit-live-'));
  const file = join(folder.path, 'lake.json');
  await writeFile(file, JSON.stringify(firstWorkflow(checkpoint)));
  await platform.operator('backend', 'add', '--name', 'gpu1', '--engine', 'comfyui', '--url', comfy.url);
  await platform.operator('model', 'add', '--file', file, '--on', 'gpu1', '--no-sample', '--publish');
  await untilOffered('lake');
  const { body } = await client().create({ model: 'lake', prompt: 'a lake' });
  const events: Event[] = [];
  for await (const event of read(body.id, { service: 1, query: '?preview=inline' })) {
    events.push(event);
    const hasSteps = of<Progress>(events, 'progress').some(({ step }) => (step ?? 0) > 1);
    if (hasSteps && of(events, 'preview').length > 0) comfy.script.nodeMs = 0;
  }
  const progress = of<Progress>(events, 'progress');
  const sampling = progress.filter(({ steps }) => steps === samplerSteps);
  assert.ok(sampling.length > 0 && sampling.every(({ stage }) => stage === 'rendering'));
  assert.ok(sampling.some(({ fraction }) => fraction !== null && fraction > 0 && fraction < 1));
  const [preview] = of<Preview>(events, 'preview');
  const bytes = Buffer.from(preview?.url.replace('data:image/jpeg;base64,', '') ?? '', 'base64');
  const { format, width, height } = await sharp(bytes).metadata();
  assert.deepEqual([format, width, height], ['jpeg', preview?.width, preview?.height]);
  assert.equal(progress.at(-1)?.stage, 'done');
  assert.equal(of<Generation>(events, 'done')[0]?.status, 'succeeded');
  assert.equal(comfy.executions, 1);
});

/** Waits until a service offers a model, and a worker has found a backend that can make it. */
async function untilOffered(id: string): Promise<void> {
  await until(id, async () => {
    const { body } = await client().call<{ data: { id: string }[] }>('GET', '/v1/models');
    return body.data.some((model) => model.id === id);
  });
}

test('what waits says where it stands and why', async () => {
  const slow = { model: 'sandbox-slow', options: { seconds: 300 } };
  const waiting = await platform.createAccount({ tier: 'free' });
  const own = createClient(platform.serviceUrls[0] ?? '', await platform.createKey(waiting));
  const progressOf = async (id: string) =>
    (await own.call<Progress>('GET', `/v1/generations/${id}/progress`)).body;
  const untilIt = (id: string | undefined, isSo: (progress: Progress) => boolean) =>
    until('the progress', () => progressOf(id ?? ''), { isSo });
  const [atStudio, next, last] = await Promise.all([
    own.create(slow),
    own.create(slow),
    own.create(slow),
  ]).then((made) => made.map(({ body }) => body.id).sort());
  const first = await untilIt(atStudio, ({ stage }) => stage === 'waiting_for_engine');
  assert.equal(first.queue?.reason ?? null, null, 'it begins later, and was not tried yet');
  assert.deepEqual(first.starts_in_seconds, null);
  const second = await untilIt(next, ({ queue }) => queue !== null);
  assert.deepEqual(second.queue, { position: 1, of: 2, reason: 'lane_full' });
  const third = await untilIt(last, ({ queue }) => queue !== null);
  assert.deepEqual(third.queue, { position: 2, of: 2, reason: 'lane_full' });
  assert.deepEqual([third.stage, third.fraction], ['queued', null]);
});

test('a key that is revoked ends its streams within a second', async () => {
  const other = await platform.createKey(who);
  const { body } = await client().create({ model: 'sandbox-slow', options: { seconds: 300 } });
  const answer = await fetch(`${platform.serviceUrls[1]}/v1/generations/${body.id}/events`, {
    headers: { authorization: `Bearer ${other}` },
  });
  const reading = answer.text();
  const [row] = await platform.databases.service.rows<{ id: string }>(
    'select id from api_keys where public_id = $1',
    [other.slice(8, 20)],
  );
  const revoked = performance.now();
  await platform.operator('key', 'revoke', '--id', row?.id ?? '');
  const text = await reading;
  assert.doesNotMatch(text, /event: done/);
  // The command needs time to start. The stream must not live much longer than that.
  assert.ok(performance.now() - revoked < 30_000);
});
