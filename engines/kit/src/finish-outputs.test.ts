import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ffmpeg } from '@renderkit/media-kit/ffmpeg.ts';
import { probeVideo } from '@renderkit/media-kit/plain-copy.ts';
import sharp, { type Sharp } from 'sharp';
import type { RenderedFile } from './engine.ts';
import { finishOutputs, type PromisedOutputs } from './finish-outputs.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'finish-outputs-'));
after(() => rm(directory, { recursive: true }));
const signal = AbortSignal.timeout(300_000);
const promised: PromisedOutputs = {
  kind: 'image',
  size: { width: 96, height: 64 },
  outputs: 4,
  first: 0,
  inpaint: null,
  folder: directory,
};

async function keep(name: string, bytes: Buffer): Promise<string> {
  const file = path.join(directory, name);
  await writeFile(file, bytes);
  return file;
}

/** Colours that differ from pixel to pixel. */
function noise(width: number, height: number, seed = 1): Sharp {
  const bytes = Buffer.alloc(width * height * 3);
  for (let index = 0, value = seed; index < bytes.length; index++) {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[index] = value >> 16;
  }
  return sharp(bytes, { raw: { width, height, channels: 3 } });
}

async function finish(
  paths: readonly string[],
  change: Partial<PromisedOutputs> = {},
): Promise<RenderedFile[]> {
  const files: RenderedFile[] = [];
  const results = paths.map((file) => ({ path: file }));
  for await (const file of finishOutputs(results, { ...promised, ...change }, signal)) files.push(file);
  return files;
}

test('an image of any size and format becomes a PNG of the promised size, without metadata', async () => {
  const exif = { IFD0: { ImageDescription: '{"prompt": "secret words"}' } };
  const deep = await noise(48, 32).toColourspace('rgb16').png().withExif(exif).toBuffer();
  const results = [
    await keep('a', deep),
    await keep('b', await noise(192, 128).webp().withExif(exif).toBuffer()),
    await keep('c', await noise(97, 64).jpeg().withExif(exif).toBuffer()),
  ];
  const files = await finish(results, { first: 2 });
  for (const [index, file] of files.entries()) {
    assert.ok(file.contentType === 'image/png');
    assert.deepEqual([file.index, file.width, file.height, file.nsfw], [index + 2, 96, 64, false]);
    const { format, width, height, depth, exif: kept, hasAlpha } = await sharp(file.bytes).metadata();
    assert.deepEqual(
      [format, width, height, depth, kept, hasAlpha],
      ['png', 96, 64, 'uchar', undefined, false],
    );
    assert.equal(file.bytes.includes('secret'), false);
    assert.deepEqual([file.thumbnail.width, file.thumbnail.height], [96, 64]);
  }
  assert.equal(files.length, 3);
});

test('a picture of the promised size keeps every pixel, and what shines through it', async () => {
  const own = noise(96, 64);
  const [file] = await finish([await keep('own', await own.clone().png().toBuffer())]);
  assert.ok(file?.contentType === 'image/png');
  assert.deepEqual(await sharp(file.bytes).raw().toBuffer(), await own.clone().raw().toBuffer());
  const clear = await own.clone().ensureAlpha(0.5).png().toBuffer();
  const [through] = await finish([await keep('clear', clear)]);
  assert.ok(through?.contentType === 'image/png');
  assert.deepEqual(await sharp(through.bytes).raw().toBuffer(), await sharp(clear).raw().toBuffer());
});

test('more results than were wanted are left out, and the flag of each stays with it', async () => {
  const file = await keep('flagged', await noise(96, 64).png().toBuffer());
  const results = [{ path: file }, { path: file, nsfw: true }, { path: file }];
  const flags: boolean[] = [];
  for await (const { nsfw } of finishOutputs(results, { ...promised, outputs: 2 }, signal)) flags.push(nsfw);
  assert.deepEqual(flags, [false, true]);
});

test('where the mask is black, the pixels of the source stand bit for bit', async () => {
  const source = noise(96, 64, 3);
  const mask = Buffer.alloc(96 * 64).map((_, index) => (index % 96 < 40 ? 0 : index % 96 < 50 ? 128 : 255));
  const inpaint = {
    source: await keep('source', await source.clone().png().toBuffer()),
    mask: await keep(
      'mask',
      await sharp(mask, { raw: { width: 96, height: 64, channels: 1 } })
        .png()
        .toBuffer(),
    ),
    blur: 0,
  };
  const made = await keep('made', await noise(48, 32, 9).png().toBuffer());
  const original = await source.clone().raw().toBuffer();
  for (const blur of [0, 6]) {
    const [file] = await finish([made], { inpaint: { ...inpaint, blur } });
    assert.ok(file?.contentType === 'image/png');
    const pixels = await sharp(file.bytes).raw().toBuffer();
    let kept = 0;
    let changed = 0;
    for (const [index, value] of pixels.entries())
      if (mask[Math.floor(index / 3)] === 0) assert.equal(value, original[index]);
      else if (value === original[index]) kept++;
      else changed++;
    assert.ok(changed > 50 * kept, `${changed} changed, ${kept} stayed`);
  }
});

test('another shape than was promised is a bad result of the backend, and is no output', async () => {
  const square = await keep('square', await noise(64, 64).png().toBuffer());
  const failure = { name: 'EngineFailure', blame: 'backend', code: 'render_failed', badResult: true };
  await assert.rejects(finish([square]), failure);
  // One column of 97 is cropped, which is allowed.
  const near = await keep('near', await noise(97, 64).png().toBuffer());
  assert.equal((await finish([near])).length, 1);
});

test('what cannot be read is a bad result of the backend', async () => {
  const good = await noise(96, 64).png().toBuffer();
  const hostile = {
    'a truncated picture': good.subarray(0, good.length / 2),
    nothing: Buffer.alloc(0),
    'a page': Buffer.from('<html>502 Bad Gateway</html>'),
    'a drawing': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"/>'),
    'a bomb': Buffer.concat([
      good.subarray(0, 16),
      Buffer.from('0000ea600000ea60', 'hex'),
      good.subarray(24),
    ]),
  };
  const failure = { name: 'EngineFailure', blame: 'backend', code: 'render_failed', badResult: true };
  for (const [name, bytes] of Object.entries(hostile)) {
    const file = await keep('hostile', bytes);
    await assert.rejects(finish([file]), failure, name);
    await assert.rejects(finish([file], { kind: 'video' }), failure, `${name} as a video`);
  }
  await assert.rejects(finish([]), failure, 'no file at all');
});

test('a video of any size becomes an H.264 MP4 of the promised size, without metadata', async () => {
  const source = '-f lavfi -i testsrc=size=48x32:rate=8:duration=1 -metadata comment=secret'.split(' ');
  const made = {
    'in.mp4': '-pix_fmt yuv420p -c:v libx264 -f mp4 out.mp4',
    'in.webm': '-pix_fmt yuv420p -c:v libvpx -f webm out.webm',
  };
  for (const [name, encoding] of Object.entries(made)) {
    const file = path.join(directory, name);
    const output = name.replace('in', 'out');
    await ffmpeg([...source, ...encoding.split(' ')], {
      inputs: {},
      outputs: { [output]: file },
      signal,
      timeoutMs: 60_000,
      maxOutputBytes: 1_000_000,
    });
    assert.ok((await readFile(file)).includes('secret'));
    const results = finishOutputs([{ path: file }], { ...promised, kind: 'video' }, signal);
    for await (const video of results) {
      assert.ok(video.contentType === 'video/mp4');
      assert.deepEqual([video.width, video.height, video.durationSeconds], [96, 64, 1]);
      const { width, height, codecParameters } = await probeVideo(video.path, 'mp4', signal);
      assert.deepEqual([width, height, codecParameters?.slice(0, 4)], [96, 64, 'avc1']);
      assert.equal((await readFile(video.path)).includes('secret'), false);
      assert.equal(video.thumbnail.width, 96);
    }
  }
});
