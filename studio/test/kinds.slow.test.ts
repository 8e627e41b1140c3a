import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { extractFrame } from '@renderkit/media-kit/extract-frame.ts';
import { fileLimits } from '@renderkit/media-kit/file-limits.ts';
import { inspectFile } from '@renderkit/media-kit/inspect-file.ts';
import sharp from 'sharp';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

// Every kind of render once, from the request of a client to the file behind the link.

let studio: TestStudio;
let account: TestAccount;
before(async () => {
  studio = await startTestStudio();
  account = await studio.connect({ tier: 'pro' });
  await account.upload('upl_image', await makeImage({ width: 96, height: 64 }));
  await account.upload('upl_mask', await halfMask());
  await account.upload('upl_video', await makeMedia(studio.dataDirectory, 'video.mp4', { size: '128x96' }));
  for (const token of ['upl_image', 'upl_mask', 'upl_video']) await account.checked(token);
});
after(() => studio[Symbol.asyncDispose]());

const bare = { reference_images: [], aspect_ratio: undefined } as unknown as Partial<RenderRequest>;

test('an inpaint keeps its source where the mask is black', async () => {
  const { bytes, output } = await render('inpaint', {
    kind: 'image_edit',
    model: 'retouch-1',
    prompt: 'a red sunset',
    image: 'upl_image',
    mode: 'inpaint',
    mask: 'upl_mask',
    inpaint_type: 'fill',
  });
  assert.deepEqual([output.type, output.width, output.height], ['image', 96, 64]);
  const { data } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const pixel = (x: number) => [...data.subarray((30 * 96 + x) * 3, (30 * 96 + x) * 3 + 3)];
  assert.deepEqual(pixel(90), [0x33, 0xaa, 0x77]);
  assert.notDeepEqual(pixel(5), [0x33, 0xaa, 0x77]);
});

test('a transform in a ratio of its own is cut to it', async () => {
  const { output } = await render('transform', {
    kind: 'image_edit',
    model: 'retouch-1',
    prompt: 'a red sunset',
    image: 'upl_image',
    mode: 'transform',
    strength: 0.3,
    aspect_ratio: '1:1',
  });
  assert.deepEqual([output.width, output.height], [1024, 1024]);
});

test('a video has the size and the length that were asked, and an extension goes on with it', async () => {
  const { output, bytes } = await render('video', {
    kind: 'video',
    model: 'drift-1',
    prompt: 'islands in the evening',
    aspect_ratio: '16:9',
    duration_seconds: 3,
    start_image: 'upl_image',
  });
  assert.equal(output.type, 'video');
  const videoFile = await keep('video-made.mp4', bytes);
  const seen = await inspectFile(videoFile, fileLimits, new AbortController().signal);
  assert.deepEqual([seen.type, seen.width, seen.height], ['video', output.width, output.height]);
  assert.equal(output.width! / output.height!, 16 / 9);
  assert.ok(Math.abs((seen.durationSeconds ?? 0) - 3) < 1 / 24 && output.duration === 3);
  const thumbnail = Buffer.from(await (await fetch(output.thumb_url ?? '')).arrayBuffer());
  assert.equal((await sharp(thumbnail).metadata()).format, 'webp');
  const further = await render('further', {
    kind: 'video_extend',
    model: 'onward-1',
    prompt: '',
    video_id: output.id,
    duration_seconds: 3,
    resolution: '360p',
  });
  assert.equal(Math.min(further.output.width ?? 0, further.output.height ?? 0), 360);
  const [last, first] = await Promise.all([
    extractFrame(videoFile, 'last', new AbortController().signal),
    extractFrame(await keep('further.mp4', further.bytes), 0, new AbortController().signal),
  ]);
  const [one, other] = await Promise.all(
    [last, first].map(({ bytes: png }) => sharp(png).resize(160, 90).removeAlpha().raw().toBuffer()),
  );
  assert.ok(one && other);
  const apart =
    one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;
  assert.ok(apart < 6, `${apart}`);
});

test('a video is drawn anew in its own ratio', async () => {
  const { output } = await render('restyled', {
    kind: 'video',
    model: 'restyle-1',
    prompt: '',
    duration_seconds: 3,
    source_video: 'upl_video',
  });
  assert.equal(output.duration, 3);
  assert.ok(Math.abs(output.width! / output.height! - 4 / 3) < 0.01);
});

async function render(token: string, request: Partial<RenderRequest>) {
  await account.submit(token, { ...bare, ...request });
  const done = await account.finished(token);
  assert.deepEqual([done.status, done.error], ['succeeded', null], JSON.stringify(done));
  const [output] = done.outputs;
  assert.ok(output);
  const bytes = Buffer.from(await (await fetch(output.url)).arrayBuffer());
  return { output, bytes };
}

async function keep(name: string, bytes: Buffer): Promise<string> {
  const file = path.join(studio.dataDirectory, name);
  await writeFile(file, bytes);
  return file;
}

/** Creates a mask that is white on the left. */
function halfMask(): Promise<Buffer> {
  const bytes = Buffer.alloc(96 * 64);
  for (let index = 0; index < bytes.length; index++) bytes[index] = index % 96 < 48 ? 255 : 0;
  return sharp(bytes, { raw: { width: 96, height: 64, channels: 1 } })
    .png()
    .toBuffer();
}
