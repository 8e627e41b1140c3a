import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { extractFrame } from './extract-frame.ts';
import { ffmpeg } from './ffmpeg.ts';
import { MediaToolError } from './media-tool-error.ts';
import { makeThumbnail } from './thumbnail.ts';

const never = new AbortController().signal;
const limits = { signal: never, timeoutMs: 60_000, maxOutputBytes: 50_000_000 };
const width = 64;
const height = 48;
const frames = 30;
/** Bidirectional frames and distant key frames, because these make seeking hard. */
const encoding = '-pix_fmt yuv420p -c:v libx264 -bf 2 -g 12'.split(' ');

/** With these flags, different ways to convert colours give the same result. */
const careful = 'scale=flags=bicubic+accurate_rnd+full_chroma_int';

let directory = '';
const fileOf = (name: string) => path.join(directory, name);
/** Every frame in order, decoded from the start without seeking. */
let decoded: Buffer[] = [];

before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-frame-test-'));
  const source = ['-f', 'lavfi', '-i', `testsrc2=size=${width}x${height}:rate=10:duration=${frames / 10}`];
  await ffmpeg([...source, ...encoding, 'out.mp4'], {
    inputs: {},
    outputs: { 'out.mp4': fileOf('plain.mp4') },
    ...limits,
  });
  // The same frames, half a second later than the audio.
  const late = '-f mov -i in.mp4 -f lavfi -i sine=duration=3 -filter:v setpts=PTS+0.5/TB'.split(' ');
  await ffmpeg([...late, '-c:a', 'aac', ...encoding, 'out.mp4'], {
    inputs: { 'in.mp4': fileOf('plain.mp4') },
    outputs: { 'out.mp4': fileOf('late.mp4') },
    ...limits,
  });
  await ffmpeg(`-f mov -i in.mp4 -vf ${careful} -f rawvideo -pix_fmt rgb24 out.rgb`.split(' '), {
    inputs: { 'in.mp4': fileOf('plain.mp4') },
    outputs: { 'out.rgb': fileOf('all.rgb') },
    ...limits,
  });
  const all = await readFile(fileOf('all.rgb'));
  const size = width * height * 3;
  decoded = Array.from({ length: all.length / size }, (_, index) =>
    all.subarray(index * size, (index + 1) * size),
  );
});
after(async () => rm(directory, { recursive: true, force: true }));

/** Returns the number of a frame, by comparison with all frames. */
async function numberOf(png: Buffer): Promise<number> {
  const pixels = await sharp(png).raw().toBuffer();
  const distances = decoded.map((frame) => {
    let sum = 0;
    for (let index = 0; index < frame.length; index++)
      sum += Math.abs((frame[index] ?? 0) - (pixels[index] ?? 0));
    return sum / frame.length;
  });
  const nearest = Math.min(...distances);
  assert.ok(nearest < 2, `it is none of them: ${nearest}`);
  return distances.indexOf(nearest);
}

test('an extracted frame is the one that a player shows at that time', async () => {
  assert.equal(decoded.length, frames);
  const expected: [number | 'last', number][] = [
    [0.05, 0],
    [0.1, 1],
    [1.15, 11],
    [2.89, 28],
    [1000, 29],
    [-1, 0],
  ];
  for (const [time, number] of expected) {
    const frame = await extractFrame(fileOf('plain.mp4'), time, never);
    assert.deepEqual([frame.width, frame.height], [width, height]);
    assert.equal(await numberOf(frame.bytes), number, `at ${time}`);
  }
});

test('frames that begin later than the audio are counted by the clock of both', async () => {
  const at = async (time: number | 'last') =>
    numberOf((await extractFrame(fileOf('late.mp4'), time, never)).bytes);
  assert.deepEqual([await at(0), await at(0.72), await at(1.65), await at('last')], [0, 2, 11, 29]);
});

test('a thumbnail of a video is small and shows it; an aborted still says so', async () => {
  const { bytes, contentType, ...size } = await makeThumbnail(
    fileOf('plain.mp4'),
    { type: 'video', durationSeconds: 3 },
    never,
  );
  assert.deepEqual(size, { width, height });
  assert.equal(contentType, 'image/webp');
  assert.equal((await sharp(bytes).metadata()).format, 'webp');
  const aborted = extractFrame(fileOf('plain.mp4'), 1, AbortSignal.timeout(20));
  await assert.rejects(aborted, (error) => error instanceof MediaToolError && error.kind === 'aborted');
});
