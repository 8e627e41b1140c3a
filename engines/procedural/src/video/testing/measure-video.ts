import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaFile } from '@renderkit/engine-kit/engine.ts';
import { ffmpeg } from '@renderkit/media-kit/ffmpeg.ts';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import sharp from 'sharp';

// Measures videos for tests: frames, tracks, loudness.

/** Returns every frame as RGB, from a decoder that does not depend on the code that made the video. */
export async function decode(file: MediaFile, width: number, height: number): Promise<Buffer[]> {
  const bytes = await convert(file, ['-f', 'rawvideo', '-pix_fmt', 'rgb24']);
  const size = width * height * 3;
  assert.equal(bytes.length % size, 0);
  return Array.from({ length: bytes.length / size }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

export async function probe({ path }: MediaFile) {
  const bytes = await readFile(path);
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  assert.ok(video);
  return {
    video: {
      codec: await video.getCodec(),
      width: await video.getDisplayWidth(),
      height: await video.getDisplayHeight(),
    },
    audio: audio && { codec: await audio.getCodec(), duration: await audio.computeDuration() },
    duration: await video.computeDuration(),
    fastStart: bytes.indexOf('moov') < bytes.indexOf('mdat'),
  };
}

export async function loudnessOf(file: MediaFile): Promise<{ early: number; late: number }> {
  const bytes = await convert(file, ['-f', 's16le', '-ac', '1', '-ar', '22050']);
  const level = (from: number, to: number) => {
    let sum = 0;
    for (let at = Math.floor(from * 22_050) * 2; at < to * 22_050 * 2; at += 2)
      sum += (bytes.readInt16LE(at) / 32_768) ** 2;
    return Math.sqrt(sum / ((to - from) * 22_050));
  };
  return { early: level(0.1, 0.3), late: level(0.6, 0.9) };
}

export async function psnr(frame: Buffer | undefined, image: MediaFile, width: number, height: number) {
  assert.ok(frame);
  const wanted = await sharp(image.path)
    .resize({ width, height, fit: 'cover' })
    .removeAlpha()
    .raw()
    .toBuffer();
  return luminancePsnr(frame, wanted);
}

export function luminancePsnr(one: Buffer, other: Buffer): number {
  const light = (bytes: Buffer, at: number) =>
    (bytes[at] ?? 0) * 0.299 + (bytes[at + 1] ?? 0) * 0.587 + (bytes[at + 2] ?? 0) * 0.114;
  let sum = 0;
  for (let at = 0; at < one.length; at += 3) sum += (light(one, at) - light(other, at)) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / (one.length / 3)));
}

export function meanDifference(one: Buffer, other: Buffer): number {
  let sum = 0;
  for (const [index, value] of one.entries()) sum += Math.abs(value - (other[index] ?? 0));
  return sum / one.length;
}

/** Returns the column of a frame's light, counting only bright pixels. */
export function brightColumn(frame: Buffer | undefined, width: number, height: number): number {
  assert.ok(frame);
  let [sum, weight] = [0, 0];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const light = Math.max(0, (frame[pixel * 3 + 1] ?? 0) - 150);
    sum += (pixel % width) * light;
    weight += light;
  }
  return sum / weight;
}

async function convert(file: MediaFile, into: string[]): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'measure-video-'));
  try {
    const path = join(directory, 'out.raw');
    await ffmpeg(['-i', 'in.mp4', ...into, 'out.raw'], {
      inputs: { 'in.mp4': file.path },
      outputs: { 'out.raw': path },
      signal: AbortSignal.timeout(60_000),
      timeoutMs: 60_000,
      maxOutputBytes: 200_000_000,
    });
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true });
  }
}
