import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EngineError,
  type RenderedVideo,
  type Size,
  type VideoExtendRequest,
} from '@renderkit/engine-kit/engine.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';
import { extractFrame } from '@renderkit/media-kit/extract-frame.ts';
import { readBrief } from '../brief.ts';
import { DrawingReport } from '../drawing-report.ts';
import { readImage } from '../image.ts';
import { composeScene } from '../scene.ts';
import { FRAME_RATE } from './shot.ts';
import { checkVideo, finishVideo } from './generate-video.ts';
import { createImageShot } from './image-shot.ts';

/** Limit for the pixels of a continuation without a requested size. */
const MAX_PIXELS = 1280 * 720;

/** Makes the continuation of a video: it begins with the last frame and sets this frame in motion. */
export async function* extendVideos(
  request: VideoExtendRequest,
  { signal, report, scratch }: { signal: AbortSignal; report: Report; scratch: string },
): AsyncGenerator<RenderedVideo> {
  const directory = await mkdtemp(join(scratch, 'video-'));
  try {
    const last = await lastFrameOf(request, signal);
    const path = join(directory, 'last.png');
    await writeFile(path, last.bytes);
    const size = continuationSize(last, request.shortSide);
    checkVideo({ ...size, durationSeconds: request.durationSeconds });
    const image = await readImage({ path }, size);
    const frames = Math.max(2, Math.round(request.durationSeconds * FRAME_RATE));
    const briefOf = await readBrief(request);
    for (let index = 0; index < request.outputs; index++) {
      signal.throwIfAborted();
      const scene = composeScene(briefOf(index, size));
      const shot = createImageShot(scene, (frames - 1) / FRAME_RATE, image);
      const plan = { ...size, frames, audios: [], audioOf: null };
      const drawing = new DrawingReport(report, index, request.outputs);
      yield { ...(await finishVideo(plan, shot, { directory, signal, drawing })), index, nsfw: false };
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function lastFrameOf({ video }: VideoExtendRequest, signal: AbortSignal) {
  try {
    return await extractFrame(video.path, 'last', signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new EngineError('unreadable_reference', 'The video to go on with could not be read.', { cause });
  }
}

/** Returns the source's ratio in even numbers, with the requested shorter side or else the source's own. */
export function continuationSize({ width, height }: Size, shortSide: number | null): Size {
  const scale =
    shortSide === null
      ? Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)))
      : shortSide / Math.min(width, height);
  const even = (side: number) => Math.max(2, Math.round((side * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}
