import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Engine } from '@renderkit/engine-kit/engine.ts';
import { runMediaJob } from '@renderkit/media-kit/media-processes.ts';
import { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { mountSmallDisk, noSmallDisk } from '@renderkit/server-kit/testing/small-disk.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import sharp from 'sharp';
import { startTestStudio, type TestStudio } from './harness.ts';

const skip = noSmallDisk();
/** For tests about the disk with the media. */
const skipMedia = process.env['TEST_MEDIA_STORE'] === 's3' ? 'media lie on no disk' : skip;

/** More tries than for a render that fails by itself. */
const triesOnFullDisk = 5;

/**
 * Waits for a try that ended on the full disk, and makes the next try start at once. Returns how many tries there were.
 */
async function nextTry(studio: TestStudio, before: number): Promise<number> {
  return until('a try that ended on the full disk', async () => {
    const [render] = await studio.database.rows<{ excused: number; status: string }>(
      'select excused, status from renders',
    );
    if (render !== undefined && render.excused > before) {
      await studio.database.rows(`update renders set not_before = null where status = 'queued'`);
      return render.excused;
    }
    assert.notEqual(render?.status, 'failed');
    return undefined;
  });
}

async function chargedOnce(studio: TestStudio, email: string): Promise<void> {
  const kinds = (await showLedger(studio.database, email)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['opening', 'charge']);
  assert.deepEqual(await checkLedger(studio.database), []);
}

test('a render whose engine finds no space is tried until there is some: charged once, and finished', async () => {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  let attempts = 0;
  const engine: Engine = {
    id: 'procedural',
    kinds: ['image'],
    models: ['atelier'],
    render: async function* render(request) {
      if (++attempts <= triesOnFullDisk)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      for (let index = 0; index < request.outputs; index++)
        yield {
          index,
          bytes,
          contentType: 'image/png',
          width: 8,
          height: 8,
          thumbnail: { bytes, contentType: 'image/webp', width: 8, height: 8 },
          nsfw: false,
        };
    },
  };
  await using studio = await startTestStudio({ engines: [engine] });
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('patient');
  for (let excused = 0; excused < triesOnFullDisk;) excused = await nextTry(studio, excused);
  assert.equal((await account.finished('patient')).status, 'succeeded');
  await chargedOnce(studio, account.email);
});

test(
  'a render whose image cannot be stored is drawn again once there is space',
  { skip: skipMedia },
  async () => {
    await using studio = await startTestStudio();
    const media = path.join(studio.dataDirectory, 'media');
    await using disk = await mountSmallDisk({ megabytes: 16, over: media });
    await disk.fill();
    const account = await studio.connect({ tier: 'pro' });
    await account.submit('patient');
    let excused = 0;
    while (excused < triesOnFullDisk) excused = await nextTry(studio, excused);
    await disk.free();
    await nextTry(studio, excused - 1);
    const render = await account.finished('patient');
    assert.equal(render.status, 'succeeded');
    const [output] = render.outputs;
    for (const url of [output?.url, output?.thumb_url]) assert.equal((await fetch(url ?? '')).status, 200);
    await chargedOnce(studio, account.email);
  },
);

test(
  'a file for which there is no space is refused for now, and nothing of it stays',
  { skip: skipMedia },
  async () => {
    await using studio = await startTestStudio();
    const media = path.join(studio.dataDirectory, 'media');
    await using _disk = await mountSmallDisk({ megabytes: 2, over: media });
    const account = await studio.connect({ tier: 'pro' });
    const noise = Buffer.alloc(900 * 900 * 3).map(() => Math.floor(Math.random() * 256));
    const image = await sharp(noise, { raw: { width: 900, height: 900, channels: 3 } })
      .png()
      .toBuffer();
    assert.ok(image.length > 2 * 1024 * 1024);
    const refused = await account.upload('large', image);
    assert.deepEqual([refused.status, (refused.body as { code?: string }).code], [503, 'overloaded']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    const left = await readdir(media, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      left.filter((entry) => entry.isFile()).map(({ name }) => name),
      [],
    );
    assert.deepEqual(await studio.database.rows('select from loose_folders'), []);
    const small = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    assert.equal((await account.upload('small', small)).status, 200);
    assert.equal((await account.checked('small')).status, 'ready');
  },
);

test('a tool that finds no space does not blame the file', { skip }, async () => {
  await using disk = await mountSmallDisk({ megabytes: 8 });
  await using plenty = await mountSmallDisk({ megabytes: 64 });
  const image = path.join(plenty.directory, 'image.png');
  await sharp({ create: { width: 2000, height: 1000, channels: 3, background: 'teal' } })
    .png()
    .toFile(image);
  await disk.fill();
  const limits = { signal: new AbortController().signal, timeoutMs: 60_000, maxMemoryBytes: 1024 ** 3 };
  const outOfSpace = (error: unknown) => error instanceof MediaToolError && error.kind === 'out_of_space';
  const output = path.join(disk.directory, 'image.rgba');
  await assert.rejects(
    runMediaJob('writeRgba', { path: image, output, maxPixels: 10_000_000 }, limits),
    outOfSpace,
  );
  // A separate process: ffmpeg's pooled processes keep the temporary directory with which they started.
  const run = {
    inputs: { 'in.png': image },
    outputs: { 'out.raw': path.join(plenty.directory, 'out.raw') },
    maxOutputBytes: 100_000_000,
    timeoutMs: limits.timeoutMs,
    maxMemoryBytes: limits.maxMemoryBytes,
  };
  const script = `
    import { ffmpeg } from '${import.meta.resolve('@renderkit/media-kit/ffmpeg.ts')}';
    const args = ['-f', 'png_pipe', '-i', 'in.png', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'out.raw'];
    const signal = new AbortController().signal;
    await ffmpeg(args, { ...${JSON.stringify(run)}, signal }).then(
      () => console.log('made'),
      (error) => console.log(error.kind));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: disk.directory },
  });
  assert.equal(stdout.trim(), 'out_of_space');
});
