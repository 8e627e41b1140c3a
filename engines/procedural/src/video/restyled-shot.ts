import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Canvas } from '@napi-rs/canvas';
import { EngineError, type MediaFile, type VideoRequest } from '@renderkit/engine-kit/engine.ts';
import { ffmpeg, mjpegCodec } from '@renderkit/media-kit/ffmpeg.ts';
import { MediaToolError, notTheFile } from '@renderkit/media-kit/media-tool-error.ts';
import sharp from 'sharp';
import type { Bitmap } from '../encode.ts';
import type { ProceduralModel } from '../models.ts';
import { toRaster } from '../image.ts';
import { createTurningCut, VIEW_SIDE } from '../prism.ts';
import { shrinkRaster, type Raster } from '../raster.ts';
import { REDRAWERS } from '../redraw.ts';
import type { Scene } from '../scene.ts';
import { matchTones } from '../tone-match.ts';
import { paintFresh } from '../transform.ts';
import type { Shot } from './shot.ts';

/** Pictures drawn per second. Each is shown twice, as animators do, which halves the work. */
const DRAWN_PER_SECOND = 12;
/** How far the colours move towards those of the words, 0–1. */
const COLOURS = 0.4;
const TIMEOUT_MS = 5 * 60_000;
const MAX_BYTES = 400_000_000;

/** Redraws a video. If the source is shorter than the new video, it is played backwards from its end. */
export async function createRestyledShot(
  scene: Scene,
  model: ProceduralModel,
  { durationSeconds, prompt }: VideoRequest,
  source: MediaFile,
  directory: string,
  signal: AbortSignal,
): Promise<Shot> {
  const frames = await decodeFrames(scene, durationSeconds, source, directory, signal);
  const fresh = prompt.trim() === '' ? null : paintFresh(scene, model);
  const draw = createHand(scene, model, fresh);
  let drawn = { index: -1, canvas: undefined as Canvas | undefined };
  return async (now) => {
    const index = thereAndBack(Math.floor(now * DRAWN_PER_SECOND + 1e-6), frames.length);
    if (drawn.canvas === undefined || drawn.index !== index)
      drawn = { index, canvas: draw(await decodeFrame(frames[index] ?? Buffer.alloc(0))) };
    return drawn.canvas as Canvas;
  };
}

function thereAndBack(step: number, count: number): number {
  if (count === 1) return 0;
  const turn = step % (2 * (count - 1));
  return turn < count ? turn : 2 * (count - 1) - turn;
}

/**
 * Returns the drawing function for all frames. The places of stones and the starts of lines stay the same between
 * frames.
 */
function createHand(scene: Scene, model: ProceduralModel, fresh: Bitmap | null): (image: Raster) => Canvas {
  let cut: ReturnType<typeof createTurningCut> | undefined;
  return (image) => {
    if (fresh !== null) matchTones(image, fresh, COLOURS);
    if (model !== 'prism') return REDRAWERS[model](image, scene);
    cut ??= createTurningCut(scene, shrinkRaster(image, VIEW_SIDE));
    return cut(shrinkRaster(image, VIEW_SIDE), 0);
  };
}

/**
 * Returns the frames as JPEGs of the scene's size.
 *
 * @throws EngineError `unreadable_reference`
 */
async function decodeFrames(
  { width, height }: Scene,
  seconds: number,
  source: MediaFile,
  directory: string,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const output = join(directory, 'source.mjpeg');
  const cover = `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height}`;
  try {
    await ffmpeg(
      [
        ['-f', 'mov', '-i', 'source.mp4', '-map', '0:v:0', '-t', seconds.toFixed(3)],
        ['-vf', `fps=${DRAWN_PER_SECOND},${cover},format=yuvj420p`, '-q:v', '3'],
        [...mjpegCodec, '-f', 'mjpeg', 'source.mjpeg'],
      ].flat(),
      {
        inputs: { 'source.mp4': source.path },
        outputs: { 'source.mjpeg': output },
        signal,
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: MAX_BYTES,
      },
    );
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof MediaToolError && !notTheFile.includes(cause.kind))
      throw new EngineError('unreadable_reference', 'The source video could not be read.', { cause });
    throw cause;
  }
  return splitJpegs(await readFile(output));
}

const JPEG_END = Buffer.from([0xff, 0xd9]);

/**
 * Splits a stream at the end marks of JPEGs. Inside a JPEG's data 0xff is always followed by 0 or a restart mark, so
 * the end mark only occurs at the end.
 */
function splitJpegs(stream: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let from = 0; from < stream.length;) {
    const end = stream.indexOf(JPEG_END, from);
    if (end < 0) break;
    frames.push(stream.subarray(from, end + 2));
    from = end + 2;
  }
  return frames;
}

async function decodeFrame(jpeg: Buffer): Promise<Raster> {
  const { data, info } = await sharp(jpeg).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  return toRaster({ width: info.width, height: info.height, bytes: data });
}
