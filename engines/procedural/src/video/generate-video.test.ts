import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  EngineError,
  type MediaFile,
  type RenderedVideo,
  type VideoExtendRequest,
  type VideoRequest,
} from '@renderkit/engine-kit/engine.ts';
import { ffmpeg } from '@renderkit/media-kit/ffmpeg.ts';
import sharp from 'sharp';
import { createProceduralEngine } from '../engine.ts';
import { continuationSize } from './extend-video.ts';
import {
  brightColumn,
  decode,
  loudnessOf,
  luminancePsnr,
  meanDifference,
  probe,
  psnr,
} from './testing/measure-video.ts';

const folder = await mkdtemp(join(tmpdir(), 'video-test-'));
const scratch = await mkdtemp(join(tmpdir(), 'video-scratch-'));
after(() => Promise.all([folder, scratch].map((path) => rm(path, { recursive: true }))));

const engine = createProceduralEngine(scratch);
const limit = () => AbortSignal.timeout(100_000);

test('A video has the asked size, is as long as asked to the frame, plays anywhere and moves', async () => {
  const { file, made } = await makeVideo({ width: 256, height: 144, durationSeconds: 1.5 });
  assert.deepEqual([made.width, made.height, made.durationSeconds], [256, 144, 1.5]);
  const { video, audio, duration, fastStart } = await probe(file);
  assert.deepEqual([video.codec, video.width, video.height, audio], ['avc', 256, 144, null]);
  assert.ok(Math.abs(duration - 1.5) < 1 / 24, `${duration}`);
  assert.ok(fastStart);
  const frames = await decode(file, 256, 144);
  assert.equal(frames.length, 36);
  const [first, next] = frames;
  const last = frames.at(-1);
  assert.ok(first && next && last);
  assert.ok(meanDifference(first, last) > 1.5, 'nothing moves');
  assert.ok(meanDifference(first, next) < 8, 'it moves gently');
  const thumbnail = await sharp(made.thumbnail.bytes).metadata();
  assert.deepEqual([thumbnail.format, thumbnail.width, thumbnail.height], ['webp', 256, 144]);
  assert.deepEqual(await readdir(scratch), []);
});

test('The first and the last frame are the images that were given', async () => {
  const start = await draw('start.png', 'a woman in golden light', 'figures', 300, 200);
  const end = await draw('end.png', 'mountains and a lake', 'papercut', 200, 260);
  const [width, height] = [240, 160];
  const { file } = await makeVideo({ width, height, startImage: start, endImage: end, prompt: 'snow' });
  const frames = await decode(file, width, height);
  assert.equal(frames.length, 24);
  assert.ok((await psnr(frames[0], start, width, height)) >= 33);
  assert.ok((await psnr(frames.at(-1), end, width, height)) >= 33);
  assert.ok((await psnr(frames[12], start, width, height)) < 30);
});

test('The cover is the first frame that shows something', async () => {
  const { data: empty } = await sharp({ create: { width: 160, height: 96, channels: 3, background: '#111' } })
    .png()
    .toBuffer({ resolveWithObject: true });
  const end = await draw('end.png', 'mountains and a lake', 'papercut', 160, 96);
  const { made } = await makeVideo({
    startImage: await keep('empty.png', empty),
    endImage: end,
    prompt: 'rain',
  });
  const { channels } = await sharp(made.thumbnail.bytes).stats();
  assert.ok(channels.some(({ stdev }) => stdev > 8));
});

test('An end alone is reached from what the words say', async () => {
  const end = await draw('end.png', 'mountains and a lake', 'papercut', 200, 260);
  const { file } = await makeVideo({ width: 160, height: 160, endImage: end });
  const frames = await decode(file, 160, 160);
  assert.ok((await psnr(frames.at(-1), end, 160, 160)) >= 33);
  assert.ok((await psnr(frames[0], end, 160, 160)) < 20);
});

test('Audio files follow one another, cut or followed by silence to the length of the video', async () => {
  const short = await tone('short.wav', 0.4);
  const long = await tone('long.wav', 3);
  for (const audios of [[short], [short, long]]) {
    const { file } = await makeVideo({ width: 96, height: 96, audios });
    const { audio, duration } = await probe(file);
    assert.ok(audio);
    assert.equal(audio.codec, 'aac');
    // Audio ends with a whole block of 1,024 samples.
    assert.ok(Math.abs(audio.duration - 1) < 1 / 24, `${audio.duration}`);
    assert.ok(Math.abs(duration - 1) < 1 / 48, `${duration}`);
    const loudness = await loudnessOf(file);
    assert.ok(loudness.early > 0.05);
    if (audios.length === 1) assert.ok(loudness.late < 0.005, `${loudness.late}`);
    else assert.ok(loudness.late > 0.05, `${loudness.late}`);
  }
  const broken = await keep('broken.mp3', Buffer.from('no sound'));
  await assert.rejects(
    makeVideo({ width: 96, height: 96, audios: [broken] }),
    hasCode('unreadable_reference'),
  );
});

test('A video drawn anew keeps how it moves, and its sound', async () => {
  const source = await slidingBar();
  const { file } = await makeVideo({
    width: 160,
    height: 96,
    prompt: '',
    engineModel: 'papercut',
    sourceVideo: source,
  });
  const frames = await decode(file, 160, 96);
  assert.equal(frames.length, 24);
  const places = [2, 10, 20].map((index) => brightColumn(frames[index], 160, 96));
  for (const [index, place] of places.entries())
    assert.ok(Math.abs(place - (15 + [2, 10, 20][index]! * 5)) < 22, places.join(' '));
  assert.ok((await probe(file)).audio);
  const text = await keep('text.mp4', Buffer.from('no video'));
  await assert.rejects(makeVideo({ sourceVideo: text }), hasCode('unreadable_reference'));
});

test('A continuation begins with the last frame of its source and has its ratio', async () => {
  const { file: source } = await makeVideo({ width: 256, height: 144, durationSeconds: 0.5 });
  const last = (await decode(source, 256, 144)).at(-1);
  assert.ok(last);
  const { file, made } = await extend({ video: source, durationSeconds: 1 });
  assert.deepEqual([made.width, made.height, made.durationSeconds], [256, 144, 1]);
  const [first] = await decode(file, 256, 144);
  assert.ok(first && luminancePsnr(first, last) >= 33, `${first && luminancePsnr(first, last)}`);
  const { made: larger } = await extend({ video: source, durationSeconds: 0.5, shortSide: 180 });
  assert.deepEqual([larger.width, larger.height], [320, 180]);
  const text = await keep('text.mp4', Buffer.from('no video'));
  await assert.rejects(extend({ video: text }), hasCode('unreadable_reference'));
});

test('A continuation without an asked size is not larger than it should be', () => {
  assert.deepEqual(continuationSize({ width: 3840, height: 2160 }, null), { width: 1280, height: 720 });
  assert.deepEqual(continuationSize({ width: 639, height: 361 }, null), { width: 640, height: 362 });
  assert.deepEqual(continuationSize({ width: 1080, height: 1920 }, 480), { width: 480, height: 854 });
});

test('Odd sides and endless videos are refused; an aborted video leaves nothing behind', async () => {
  await assert.rejects(makeVideo({ width: 161, height: 96 }), hasCode('invalid_request'));
  await assert.rejects(makeVideo({ durationSeconds: 1e6 }), hasCode('invalid_request'));
  const abort = new AbortController();
  const going = makeVideo({ durationSeconds: 5 }, abort.signal);
  setTimeout(() => abort.abort(new Error('enough')), 400);
  await assert.rejects(going, /enough/);
  assert.deepEqual(await readdir(scratch), []);
});

const hasCode = (code: string) => (error: unknown) => error instanceof EngineError && error.code === code;
const common = { engineModel: 'atelier', seed: 3, parameters: {}, references: [], outputs: 1 };

async function makeVideo(change: Partial<VideoRequest>, signal = limit()) {
  const request: VideoRequest = {
    ...common,
    kind: 'video',
    prompt: 'islands in the sea, evening',
    width: 160,
    height: 96,
    durationSeconds: 1,
    startImage: null,
    endImage: null,
    audios: [],
    sourceVideo: null,
    ...change,
  };
  return take(engine.render(request, signal));
}

function extend(change: Partial<VideoExtendRequest> & { video: MediaFile }) {
  const request = {
    ...common,
    kind: 'video_extend',
    prompt: '',
    durationSeconds: 1,
    shortSide: null,
  } as const;
  return take(engine.render({ ...request, ...change }, limit()));
}

let taken = 0;
async function take(
  render: ReturnType<typeof engine.render>,
): Promise<{ file: MediaFile; made: RenderedVideo }> {
  for await (const made of render) {
    assert.ok(made.contentType === 'video/mp4');
    const path = join(folder, `video-${taken++}.mp4`);
    await copyFile(made.path, path);
    return { file: { path }, made };
  }
  throw new Error('nothing was made');
}

async function keep(name: string, bytes: Buffer): Promise<MediaFile> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { path };
}

async function draw(name: string, prompt: string, engineModel: string, width: number, height: number) {
  const request = { ...common, kind: 'image', engineModel, prompt, width, height } as const;
  for await (const file of engine.render(request, limit()))
    if (file.contentType === 'image/png') return keep(name, file.bytes);
  throw new Error('nothing was drawn');
}

const run = (args: string[], inputs: Record<string, string>, outputs: Record<string, string>) =>
  ffmpeg(args, { inputs, outputs, signal: limit(), timeoutMs: 60_000, maxOutputBytes: 200_000_000 });

async function tone(name: string, seconds: number): Promise<MediaFile> {
  const rate = 22_050;
  const samples = Buffer.alloc(44 + Math.round(rate * seconds) * 2);
  samples.write('RIFF', 0);
  samples.writeUInt32LE(samples.length - 8, 4);
  samples.write('WAVEfmt ', 8);
  samples.set([16, 0, 0, 0, 1, 0, 1, 0], 16);
  samples.writeUInt32LE(rate, 24);
  samples.writeUInt32LE(rate * 2, 28);
  samples.set([2, 0, 16, 0], 32);
  samples.write('data', 36);
  samples.writeUInt32LE(samples.length - 44, 40);
  for (let at = 44; at + 1 < samples.length; at += 2)
    samples.writeInt16LE(Math.round(12_000 * Math.sin(((at - 44) / 2 / rate) * 440 * 2 * Math.PI)), at);
  return keep(name, samples);
}

/** Makes one second of a white bar that moves to the right by five pixels a frame, and an audio file. */
async function slidingBar(): Promise<MediaFile> {
  const frames: Buffer[] = [];
  for (let index = 0; index < 24; index++) {
    const bytes = Buffer.alloc(160 * 96 * 3, 40);
    for (let y = 0; y < 96; y++)
      bytes.fill(240, (y * 160 + 5 + index * 5) * 3, (y * 160 + 25 + index * 5) * 3);
    frames.push(
      await sharp(bytes, { raw: { width: 160, height: 96, channels: 3 } })
        .jpeg()
        .toBuffer(),
    );
  }
  const stream = await keep('bar.mjpeg', Buffer.concat(frames));
  const path = join(folder, 'bar.mp4');
  await run(
    [
      ['-f', 'mjpeg', '-framerate', '24', '-i', 'bar.mjpeg', '-i', 'tone.wav'],
      ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-c:a', 'aac', 'bar.mp4'],
    ].flat(),
    { 'bar.mjpeg': stream.path, 'tone.wav': (await tone('tone.wav', 1)).path },
    { 'bar.mp4': path },
  );
  return { path };
}
