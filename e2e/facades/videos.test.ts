// Tests videos through OpenAI's own package, drawn by the included engine.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { n8nVideo, picture } from './program-requests.ts';
import type { Platform } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';

describe("OpenAI's package", () => {
  let platform: Platform;
  let openai: OpenAI;
  before(async () => {
    platform = await sharedPlatform();
    const account = await platform.createAccount({ tier: 'pro', credits: 500 });
    openai = new OpenAI({
      baseURL: `${platform.serviceUrls[0]}/openai/v1`,
      apiKey: await platform.createKey(account),
    });
  });

  /** Polls until the video has ended, at the server's interval, as the package's helper for Python does. */
  async function finished(id: string): Promise<OpenAI.Video> {
    for (;;) {
      const { data: video, response } = await openai.videos.retrieve(id).withResponse();
      if (video.status !== 'queued' && video.status !== 'in_progress') return video;
      await sleep(Number(response.headers.get('openai-poll-after-ms')));
    }
  }

  test('a video from a first frame: followed, downloaded in parts, listed and deleted', async () => {
    const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#3060a0' } })
      .png()
      .toBuffer();
    const created = await openai.videos.create({
      model: 'sora-2',
      prompt: 'a lake',
      // The nearest value that the type allows.
      seconds: '2' as '4',
      size: '1280x720',
      input_reference: await toFile(image, 'first.png', { type: 'image/png' }),
    });
    assert.equal(created.seconds, '3');
    const video = await finished(created.id);
    assert.deepEqual([video.status, video.progress, video.size], ['completed', 100, '160x90']);
    const whole = await openai.videos.downloadContent(video.id);
    assert.equal(whole.headers.get('content-type'), 'video/mp4');
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.equal(bytes.toString('latin1', 4, 8), 'ftyp');
    const part = await openai.videos.downloadContent(video.id, {}, { headers: { range: 'bytes=4-7' } });
    assert.deepEqual([part.status, await part.text()], [206, 'ftyp']);
    const thumbnail = await openai.videos.downloadContent(video.id, { variant: 'thumbnail' });
    assert.match(thumbnail.headers.get('content-type') ?? '', /^image\//);
    await assert.rejects(openai.videos.downloadContent(video.id, { variant: 'spritesheet' }), {
      status: 404,
    });
    const listed = await Array.fromAsync(openai.videos.list({ limit: 1 }));
    assert.deepEqual(
      listed.map(({ id }) => id),
      [video.id],
    );
    assert.equal((await openai.videos.delete(video.id)).deleted, true);
    await assert.rejects(openai.videos.retrieve(video.id), { status: 404, code: 'not_found' });
  });

  test('n8n follows a video by its status and its error, and streams its file', async () => {
    const form = new FormData();
    const file = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#3060a0' } })
      .png()
      .toBuffer();
    for (const [name, value] of n8nVideo.form ?? [])
      if (value === picture) form.append(name, new Blob([file], { type: 'image/png' }), 'data.png');
      else form.append(name, value);
    const ask = (path: string, body?: FormData) =>
      fetch(openai.baseURL + path, {
        headers: { authorization: `Bearer ${openai.apiKey}` },
        ...(body !== undefined && { method: 'POST', body }),
      });
    type Job = { id: string; status: string; error: object | null };
    const { id } = (await (await ask(n8nVideo.path, form)).json()) as Job;
    for (;;) {
      const job = (await (await ask(`/videos/${id}`)).json()) as Job;
      assert.equal(job.error, null);
      if (job.status === 'completed') break;
    }
    const content = await ask(`/videos/${id}/content`);
    assert.equal(content.headers.get('content-type'), 'video/mp4');
    await content.body?.cancel();
  });
});
