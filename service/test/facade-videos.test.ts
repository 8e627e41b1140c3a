// Tests OpenAI's video API with a scripted studio: what each request is converted to, and the answer for each outcome
// of a video.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { exampleAsset } from './example-library.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

type Video = {
  id: string;
  status: string;
  progress: number;
  seconds: string;
  size: string;
  model: string;
  prompt: string;
  completed_at: number | null;
  error: { code: string; message: string } | null;
  remixed_from_video_id: string | null;
};
type Refusal = { error: { code: string; param: string | null; message: string } };

const lane = { limit: 100, running: 0, running_elsewhere: 0 };
const plenty = { overall: lane, image: lane, edit: lane, video: lane };
const none = { ...lane, limit: 0 };

describe("OpenAI's videos", () => {
  let service: TestService;
  let renders: ScriptedRenders;
  let key: string;
  /** When set, the next create is accepted but its answer is lost. */
  let losesAnswer = false;
  before(async () => {
    service = await startTestService({
      crashPoint: (name) => {
        if (name !== 'create-accepted' || !losesAnswer) return;
        losesAnswer = false;
        throw new Error('the answer of a create is lost');
      },
    });
    service.studio.balance.lifetime_millicredits = 10_000_000;
    renders = scriptRenders(service.studio);
    renders.limits = plenty;
  });
  after(() => service[Symbol.asyncDispose]());
  beforeEach(async () => {
    key = await service.createKey();
  });
  afterEach(() => {
    renders.limits = plenty;
    service.studio.script('lookUpAssets', undefined);
    service.studio.script('deleteAsset', undefined);
    service.studio.script('media', undefined);
  });

  const ask = <Body = Video>(
    path: string,
    body?: object,
    method?: string,
    headers?: Record<string, string>,
  ) =>
    service.ask<Body>(`/openai/v1/videos${path}`, {
      key,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method }),
    });
  async function submitted(id: string): Promise<void> {
    while (!renders.renders.has(id)) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  async function made(body: object, path = ''): Promise<Video> {
    const { status, body: video, text } = await ask(path, body);
    assert.equal(status, 200, text);
    await submitted(video.id);
    renders.finish(video.id);
    return (await ended(video.id)).body;
  }
  /** Polls until the video has ended; each poll is held only for a limited time. */
  async function ended(id: string): Promise<Awaited<ReturnType<typeof ask<Video>>>> {
    for (;;) {
      const answer = await ask(`/${id}`);
      if (answer.body.status === 'completed' || answer.body.status === 'failed') return answer;
    }
  }
  const requestOf = async (id: string) =>
    (
      await service.ask<{ path: string; body: Record<string, unknown> }>(`/v1/generations/${id}/request`, {
        key,
      })
    ).body;

  test('a video is accepted with the nearest length and shape, and is finished when it is asked for', async () => {
    const { body: video, headers } = await ask('', {
      model: 'sora-2',
      prompt: 'a calm lake',
      seconds: '8',
      size: '1280x720',
      quality: 'high',
      user: 'ada',
    });
    assert.deepEqual(
      [video.progress, video.seconds, video.size, video.model, video.prompt],
      [0, '10', 'auto', 'reel', 'a calm lake'],
    );
    // The video may have begun already.
    assert.match(video.status, /^(?:queued|in_progress)$/);
    assert.equal(headers.get('x-renderkit-generation'), video.id);
    const { path, body } = await requestOf(video.id);
    assert.equal(path, '/v1/videos/generations');
    assert.deepEqual(body, {
      prompt: 'a calm lake',
      duration: '10',
      aspect_ratio: '16:9',
      metadata: { user: 'ada' },
    });
    await submitted(video.id);
    // The poll is held until there is a change.
    const polled = ended(video.id);
    renders.finish(video.id);
    const { body: finished, headers: ends } = await polled;
    assert.deepEqual([finished.status, finished.progress, finished.size], ['completed', 100, '64x64']);
    assert.equal(typeof finished.completed_at, 'number');
    assert.equal(ends.has('openai-poll-after-ms'), false);
  });

  test('what fails, what moderation refuses and what is deleted before it began have failed', async () => {
    for (const [code, expected] of [
      ['engine_error', 'upstream_error'],
      ['moderation_blocked', 'moderation_blocked'],
    ] as const) {
      const { body: video } = await ask('', { prompt: `a lake, ${code}` });
      await submitted(video.id);
      renders.finish(video.id, { status: 'failed', error: { code, message: 'it broke' } });
      const { body: failed } = await ended(video.id);
      assert.equal(failed.status, 'failed');
      assert.equal(failed.error?.code, expected);
      const { status, body } = await ask<Refusal>(`/${video.id}/content`);
      assert.deepEqual([status, body.error.code], [404, 'not_found']);
    }
    // Uses an account that is new to the service, because limits are cached for a while.
    renders.limits = { overall: none, image: none, edit: none, video: none };
    key = await service.createKey({ accountId: await service.connectAccount() });
    const { body: waiting } = await ask('', { prompt: 'a lake that waits' });
    const removed = await ask<{ deleted: boolean }>(`/${waiting.id}`, undefined, 'DELETE');
    assert.deepEqual([removed.status, removed.body.deleted], [200, true]);
    const { body: canceled } = await ended(waiting.id);
    assert.deepEqual([canceled.status, canceled.error?.code], ['failed', 'canceled']);
  });

  test('a video is changed, remixed and gone on with', async () => {
    const source = await made({ prompt: 'a calm lake' });
    const [output] = (
      await service.ask<{ outputs: { id: string }[] }>(`/v1/generations/${source.id}`, { key })
    ).body.outputs;
    const edited = await made({ prompt: 'at night', video: { id: source.id } }, '/edits');
    assert.equal(edited.remixed_from_video_id, source.id);
    const remixed = await made({ prompt: 'at dawn' }, `/${source.id}/remix`);
    assert.equal(remixed.remixed_from_video_id, source.id);
    assert.equal((await requestOf(remixed.id)).body['source_video'], output?.id);
    const extended = await made({ prompt: 'on', seconds: '7', video: { id: source.id } }, '/extensions');
    assert.deepEqual([extended.model, extended.seconds], ['onward', '7.5']);
    const { path, body } = await requestOf(extended.id);
    assert.deepEqual([path, body['video_id']], ['/v1/videos/extend', output?.id]);
  });

  test('a form brings its first frame as a file, and the id of a video in brackets', async () => {
    const form = new FormData();
    form.set('prompt', 'a lake by form');
    form.set('seconds', '5');
    form.set('input_reference', new Blob([Buffer.from('a picture')]), 'first.png');
    const post = async (path: string, sent: FormData) =>
      (await (
        await fetch(`${service.url}/openai/v1/videos${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: sent,
        })
      ).json()) as Video;
    const video = await post('', form);
    assert.match(String((await requestOf(video.id)).body['start_image']), /^upl_/);
    const source = await made({ prompt: 'a calm lake' });
    const edit = new FormData();
    edit.set('prompt', 'at night');
    edit.set('video[id]', source.id);
    assert.equal((await post('/edits', edit)).remixed_from_video_id, source.id);
  });

  test('a list goes on after any of its videos, both ways, and has no picture in it', async () => {
    const accountId = await service.connectAccount();
    key = await service.createKey({ accountId });
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three']) ids.push((await ask('', { prompt })).body.id);
    await service.ask('/v1/images/generations', { key, body: { prompt: 'a picture' } });
    const page = async (query: string) => {
      const { body } = await ask<{ data: Video[]; last_id: string | null; has_more: boolean }>(query);
      return { ids: body.data.map(({ id }) => id), last: body.last_id, more: body.has_more };
    };
    const [one, two, three] = ids;
    assert.deepEqual(await page('?limit=2'), { ids: [three, two], last: two, more: true });
    assert.deepEqual(await page(`?limit=2&after=${two}`), { ids: [one], last: one, more: false });
    assert.deepEqual(await page(`?order=asc&after=${one}`), { ids: [two, three], last: three, more: false });
    assert.equal((await ask<Refusal>('?after=gen_nobody')).status, 404);
    assert.equal((await ask<Refusal>('?limit=0')).body.error.param, 'limit');
    assert.equal((await ask<Refusal>('?order=up')).body.error.param, 'order');
  });

  test('a page of a list is full though files were deleted, and goes on after the last that it shows', async () => {
    const files: string[] = [];
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three', 'four']) {
      const { id } = await made({ prompt });
      ids.push(id);
      const { body } = await service.ask<{ outputs: { id: string }[] }>(`/v1/generations/${id}`, { key });
      files.push(body.outputs[0]?.id ?? '');
    }
    const [one, , , four] = ids;
    // The two in the middle no longer exist.
    service.studio.script('lookUpAssets', (_request, response) => {
      const { ids: asked } = JSON.parse(service.studio.seen.at(-1)?.body ?? '') as { ids: string[] };
      const assets = asked.filter((id) => id !== files[1] && id !== files[2]).map((id) => exampleAsset(id));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ assets }));
    });
    const page = async (query: string) => {
      const { body } = await ask<{ data: Video[]; first_id: string; last_id: string; has_more: boolean }>(
        query,
      );
      return [body.data.map(({ id }) => id), body.first_id, body.last_id, body.has_more];
    };
    assert.deepEqual((await page('?limit=2')).slice(0, 3), [[four, one], four, one]);
    assert.deepEqual(await page('?limit=1'), [[four], four, four, true]);
    assert.deepEqual((await page(`?limit=1&after=${four}`)).slice(0, 3), [[one], one, one]);
    assert.deepEqual(await page(`?order=asc&limit=1&after=${one}`), [[four], four, four, false]);
  });

  test('a file is sent to whoever has the key, and kept by no cache for others', async () => {
    const video = await made({ prompt: 'a lake to watch' });
    const headers = { 'content-type': 'video/mp4', 'cache-control': 'public, max-age=31536000, immutable' };
    service.studio.script('media', { headers, text: 'a video' });
    const content = await ask<string>(`/${video.id}/content`);
    assert.deepEqual([content.status, content.text], [200, 'a video']);
    assert.equal(content.headers.get('content-type'), 'video/mp4');
    assert.equal(content.headers.get('cache-control'), 'private, no-cache');
    assert.equal(content.headers.get('vary'), 'authorization');
    assert.match(content.headers.get('x-request-id') ?? '', /^req_/);
    assert.match(content.headers.get('x-ratelimit-remaining') ?? '', /^\d+$/);
    for (const [answered, status, code] of [
      [404, 404, 'not_found'],
      [500, 502, 'upstream_error'],
    ] as const) {
      service.studio.script('media', { status: answered, headers, text: 'no video' });
      const refused = await ask<Refusal>(`/${video.id}/content`);
      assert.deepEqual([refused.status, refused.body.error.code], [status, code]);
      assert.equal(refused.headers.get('cache-control'), 'no-store');
    }
  });

  test('a create whose answer was lost is charged once when it is repeated', async () => {
    losesAnswer = true;
    assert.equal((await ask('', { prompt: 'a lake in the mist' })).status, 500);
    const again = await ask('', { prompt: 'a lake in the mist' });
    assert.equal(again.status, 200);
    assert.equal(again.headers.get('x-renderkit-adopted'), 'true');
    const rows = await service.database.rows<{ id: string }>(
      'select g.id from generations g join api_keys k on k.id = g.key_id where k.public_id = $1',
      [key.slice(8, 20)],
    );
    assert.deepEqual(
      rows.map(({ id }) => id),
      [again.body.id],
    );
  });

  test('what would cost more than the request allows is refused', async () => {
    const allowing = (credits: string) =>
      ask<Refusal>('', { prompt: 'a lake' }, undefined, { 'x-renderkit-max-credits': credits });
    const refused = await allowing('0.5');
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'billing_hard_limit_reached']);
    assert.equal((await allowing('much')).body.error.param, 'X-Renderkit-Max-Credits');
    assert.equal((await allowing('1000')).status, 200);
  });

  test('a form with a file is the same again under its Idempotency-Key, and another file is not', async () => {
    const post = (file: string) => {
      const form = new FormData();
      form.set('prompt', 'a lake by form');
      form.set('input_reference', new Blob([Buffer.from(file)]), 'first.png');
      return fetch(`${service.url}/openai/v1/videos`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'one-lake' },
        body: form,
      });
    };
    const [first, second, other] = [await post('a picture'), await post('a picture'), await post('another')];
    assert.deepEqual([first.status, second.status, other.status], [200, 200, 400]);
    assert.equal(((await second.json()) as Video).id, ((await first.json()) as Video).id);
    assert.equal(((await other.json()) as Refusal).error.code, 'conflict');
  });

  test('what was deleted is not found any more', async () => {
    const video = await made({ prompt: 'a lake to forget' });
    let deleted = 0;
    service.studio.script('deleteAsset', (_request, response) => {
      deleted += 1;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ deleted: true }));
    });
    assert.equal((await ask(`/${video.id}`, undefined, 'DELETE')).status, 200);
    assert.equal(deleted, 1);
    service.studio.script('lookUpAssets', { json: { assets: [] } });
    assert.equal((await ask<Refusal>(`/${video.id}`)).status, 404);
    const { body } = await ask<{ data: Video[] }>('?limit=100');
    assert.equal(
      body.data.some(({ id }) => id === video.id),
      false,
    );
    service.studio.script('deleteAsset', { status: 404, json: { code: 'not_found', message: 'gone' } });
    assert.equal((await ask(`/${video.id}`, undefined, 'DELETE')).status, 200, 'twice is once');
  });

  test('what cannot be is refused before anything is charged, at its name', async () => {
    const refused: [string, object, number, string | null][] = [
      ['', { prompt: 'x', seconds: 'soon' }, 400, 'seconds'],
      ['', { prompt: 'x', model: 'gpt-4o' }, 404, 'model'],
      ['', { prompt: 'x', model: 'plain' }, 400, 'model'],
      ['', { prompt: 'x', input_reference: 'no picture' }, 400, 'input_reference'],
      ['', { prompt: 'x'.repeat(5_000) }, 400, 'prompt'],
      ['', {}, 400, 'prompt'],
      ['/edits', { prompt: 'x' }, 400, 'video'],
      ['/extensions', { prompt: 'x', video: { id: 'gen_nobody' } }, 404, null],
    ];
    for (const [path, body, status, param] of refused) {
      const { status: got, body: answer, text } = await ask<Refusal>(path, body);
      assert.deepEqual([got, answer.error.param], [status, param], text);
    }
    const reading = await service.createKey({ scopes: ['read'] });
    key = reading;
    assert.equal((await ask('', { prompt: 'x' })).status, 403);
    const picture = await service.addGeneration();
    assert.equal((await ask(`/${picture}`)).status, 404, 'a picture is no video');
    assert.equal((await ask('/characters/none')).status, 404);
  });

  test('what is refused leaves no file behind', async () => {
    const picture = `data:image/png;base64,${Buffer.alloc(64).toString('base64')}`;
    const stored = async () => (await service.database.rows('select from uploads')).length;
    const had = await stored();
    assert.equal((await ask('', { prompt: 'x', model: 'gpt-4o', input_reference: picture })).status, 404);
    // Most fields of a form come before its file.
    for (const [path, name, model, status] of [
      ['videos', 'input_reference', 'plain', 400],
      ['videos/edits', 'video', 'plain', 400],
      ['videos/extensions', 'video', 'onward', 400],
      ['images/edits', 'image', 'gpt-4o', 404],
    ] as const) {
      const form = new FormData();
      form.set('model', model);
      form.set(name, new Blob([Buffer.from('a file')]), 'file');
      const answer = await fetch(`${service.url}/openai/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
      assert.equal(answer.status, status, await answer.text());
    }
    assert.equal(await stored(), had, 'no file is left behind');
  });
});
