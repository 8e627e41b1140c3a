import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { checkDecoding } from '../src/check-decoding.ts';
import { extractFrame } from '../src/extract-frame.ts';
import { ffmpeg } from '../src/ffmpeg.ts';
import { fileLimits } from '../src/file-limits.ts';
import { inspectFile } from '../src/inspect-file.ts';
import { UnusableFile } from '../src/unusable-file.ts';

// Videos that the WebAssembly build can read but not make. All show the same as `source`: two seconds of a test image.
// Each was made with `ffmpeg -f lavfi -i <source>`, and `-c:v libx265 -pix_fmt yuv420p10le -tag:v hvc1` (or yuv422p10le),
// `-c:v libvpx-vp9` (and `-profile:v 2 -pix_fmt yuv420p10le`), `-c:v libaom-av1`.
const samples = path.join(import.meta.dirname, 'media-corpus/samples');
const source = 'testsrc=size=64x48:rate=10:duration=2';
const seen = { type: 'video', width: 64, height: 48, durationSeconds: 2, hasAudio: false } as const;
const mp4 = { contentType: 'video/mp4', extension: 'mp4' } as const;
const mov = { contentType: 'video/quicktime', extension: 'mov' } as const;
/** Decibels, of brightness only: these formats lose more than half of the colour samples. */
const minLikeness = 25;
const takenAtSeconds = 1;

const never = new AbortController().signal;
const limits = { signal: never, timeoutMs: 60_000, maxOutputBytes: 1_000_000 };
const hasSystem = await ffmpeg(['-version'], { inputs: {}, outputs: {}, ...limits, executor: 'system' }).then(
  () => true,
  () => false,
);

const { FFMPEG_PATH: ownFfmpeg, PATH: ownPath } = process.env;
let directory = '';
let expected: Buffer;
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-codecs-test-'));
  const image = path.join(directory, 'source.png');
  await ffmpeg(`-ss ${takenAtSeconds} -f lavfi -i ${source} -frames:v 1 out.png`.split(' '), {
    inputs: {},
    outputs: { 'out.png': image },
    ...limits,
  });
  expected = await pixelsOf(await readFile(image));
});
after(async () => rm(directory, { recursive: true, force: true }));

for (const executor of ['wasm', 'system'] as const)
  describe(executor, { skip: executor === 'system' && !hasSystem && 'this machine has no ffmpeg' }, () => {
    before(() => {
      if (executor === 'system') return;
      delete process.env['FFMPEG_PATH'];
      process.env['PATH'] = directory;
    });
    after(() => {
      Object.assign(process.env, { PATH: ownPath }, ownFfmpeg !== undefined && { FFMPEG_PATH: ownFfmpeg });
    });

    for (const [name, container] of [
      ['hevc-10-bit.mp4', mp4],
      ['hevc-10-bit-422.mov', mov],
      ['vp9.mp4', mp4],
      ['vp9-10-bit.mp4', mp4],
    ] as const)
      test(`${name} is taken, and shows what was put into it`, async () => {
        const file = path.join(samples, name);
        const inspected = await inspectFile(file, fileLimits, never);
        assert.deepEqual(inspected, { ...seen, ...container });
        await checkDecoding(file, inspected, never);
        const likeness = likenessOf(
          await pixelsOf((await extractFrame(file, takenAtSeconds, never)).bytes),
          expected,
        );
        assert.ok(likeness >= minLikeness, `${likeness} dB`);
      });

    test('av1.mp4 is taken where it can be decoded, and refused with a sentence where not', async () => {
      const file = path.join(samples, 'av1.mp4');
      const inspected = await inspectFile(file, fileLimits, never);
      assert.deepEqual(inspected, { ...seen, ...mp4 });
      const error = await checkDecoding(file, inspected, never).catch((thrown: unknown) => thrown);
      if (error === undefined) return;
      assert.ok(error instanceof UnusableFile, (error as Error).stack);
      assert.match(error.message, /codec is not supported/);
    });
  });

/** Returns the brightness of each pixel. */
async function pixelsOf(png: Buffer): Promise<Buffer> {
  return sharp(png).greyscale().raw().toBuffer();
}

/** Returns the peak signal-to-noise ratio, in decibels. */
function likenessOf(one: Buffer, other: Buffer): number {
  assert.equal(one.length, other.length);
  let sum = 0;
  for (const [i, value] of one.entries()) sum += (value - (other[i] as number)) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / one.length));
}
