import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EngineError,
  type RenderedVideo,
  type Size,
  type VideoRequest,
} from '@renderkit/engine-kit/engine.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';
import { readBrief } from '../brief.ts';
import { checkSide } from '../check-request.ts';
import { DrawingReport } from '../drawing-report.ts';
import { encodeThumbnail, type Bitmap } from '../encode.ts';
import type { ProceduralModel } from '../models.ts';
import { readImage, toBitmap } from '../image.ts';
import { fromCanvas } from '../raster.ts';
import { composeScene, type Scene } from '../scene.ts';
import { dissolve } from './dissolve.ts';
import { encodeVideo, type VideoPlan } from './encode-video.ts';
import { FRAME_RATE, type Shot } from './shot.ts';
import { createImageShot } from './image-shot.ts';
import { createRestyledShot } from './restyled-shot.ts';
import { createShot } from './shots.ts';

/** Length of a video, in seconds. */
const DURATION = { min: 0.5, max: 60 };

/** Makes videos from words, and from images for the beginning and the end. */
export async function* generateVideos(
  request: VideoRequest,
  model: ProceduralModel,
  { signal, report, scratch }: { signal: AbortSignal; report: Report; scratch: string },
): AsyncGenerator<RenderedVideo> {
  checkVideo(request);
  const briefOf = await readBrief(request);
  const frames = Math.max(2, Math.round(request.durationSeconds * FRAME_RATE));
  for (let index = 0; index < request.outputs; index++) {
    signal.throwIfAborted();
    const directory = await mkdtemp(join(scratch, 'video-'));
    try {
      const scene = composeScene(briefOf(index, request));
      const work = { request, scene, model, seconds: (frames - 1) / FRAME_RATE, directory, signal };
      const shot = await planShot(work);
      const { width, height, audios, sourceVideo } = request;
      const plan = { width, height, frames, audios, audioOf: sourceVideo };
      const drawing = new DrawingReport(report, index, request.outputs);
      yield { ...(await finishVideo(plan, shot, { directory, signal, drawing })), index, nsfw: false };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

/** @throws EngineError `invalid_request` */
export function checkVideo({ width, height, durationSeconds }: Size & { durationSeconds: number }): void {
  checkSide({ width, height });
  if (width % 2 !== 0 || height % 2 !== 0)
    throw new EngineError('invalid_request', `A video has even sides; asked ${width}×${height}.`);
  if (!(durationSeconds >= DURATION.min && durationSeconds <= DURATION.max))
    throw new EngineError(
      'invalid_request',
      `A video lasts ${DURATION.min} to ${DURATION.max} seconds; asked ${durationSeconds}.`,
    );
}

interface Work {
  readonly request: VideoRequest;
  readonly scene: Scene;
  readonly model: ProceduralModel;
  /** When the last frame is shown. A shot with a given end reaches the end at this moment, not a frame later. */
  readonly seconds: number;
  readonly directory: string;
  readonly signal: AbortSignal;
}

async function planShot(work: Work): Promise<Shot> {
  const { request, scene, seconds } = work;
  const { endImage } = request;
  const begin = await planBeginning(work);
  if (endImage === null) return begin;
  const end = createImageShot(scene, seconds, await readImage(endImage, scene));
  return dissolve(scene, seconds, begin, (now) => end(Math.max(0, seconds - now)));
}

async function planBeginning({ request, scene, model, seconds, directory, signal }: Work): Promise<Shot> {
  const { startImage, sourceVideo } = request;
  if (sourceVideo !== null) return createRestyledShot(scene, model, request, sourceVideo, directory, signal);
  return startImage === null
    ? createShot(scene, seconds, model)
    : createImageShot(scene, seconds, await readImage(startImage, scene));
}

/** Draws and encodes a shot. The file is in `directory`. */
export async function finishVideo(
  plan: VideoPlan,
  shot: Shot,
  work: { directory: string; signal: AbortSignal; drawing: DrawingReport },
): Promise<Omit<RenderedVideo, 'index' | 'nsfw'>> {
  const { width, height, frames } = plan;
  const path = await encodeVideo(plan, (at) => shot(at / FRAME_RATE), work);
  return {
    contentType: 'video/mp4',
    path,
    width,
    height,
    durationSeconds: frames / FRAME_RATE,
    thumbnail: await encodeThumbnail(await chooseCover(shot, frames)),
  };
}

/** Moments for the cover of a video, as shares of the video. */
const COVER_SHARES = [0, 0.06, 0.15, 0.3, 0.5, 0.8];
/**
 * If the spread of a frame's bytes is below this limit, nothing is visible on the frame: it is black, white or mist.
 */
const LEAST_SPREAD = 9;

/** Returns the first frame that shows something. */
async function chooseCover(shot: Shot, frames: number): Promise<Bitmap> {
  let cover: Bitmap | undefined;
  for (const share of COVER_SHARES) {
    const frame = toBitmap(fromCanvas(await shot(Math.round((frames - 1) * share) / FRAME_RATE)));
    if (spreadOf(frame.bytes) >= LEAST_SPREAD) return frame;
    cover ??= frame;
  }
  return cover as Bitmap;
}

/** Returns the standard deviation of a sample of the bytes. */
function spreadOf(bytes: Buffer): number {
  const step = Math.max(1, Math.floor(bytes.length / 3000)) | 1;
  let [count, sum, squares] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += step, count++) {
    const value = bytes[at] ?? 0;
    sum += value;
    squares += value * value;
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}
