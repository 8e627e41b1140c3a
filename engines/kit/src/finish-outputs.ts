import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { cropOf } from '@renderkit/media-kit/crop.ts';
import { imageLimits, runMediaJob, UnreadableMedia } from '@renderkit/media-kit/media-processes.ts';
import { MediaToolError, notTheFile } from '@renderkit/media-kit/media-tool-error.ts';
import { copyVideo, probeVideo } from '@renderkit/media-kit/plain-copy.ts';
import { makeThumbnail } from '@renderkit/media-kit/thumbnail.ts';
import { EngineFailure, type EngineResult } from './driver.ts';
import type { RenderedFile, Size } from './engine.ts';
import type { Outputs } from './route.ts';

/** The maximum share of a result that may be cropped to get the promised size. */
const maxCrop = 0.02;

/** The size that was promised is decided by `jobValues` in `studio/src/renders/engine-values.ts`. */
export interface PromisedOutputs {
  readonly kind: Outputs['kind'];
  /** Pixels. */
  readonly size: Size;
  /** Number of files wanted; further ones are ignored. */
  readonly outputs: number;
  /** Index of the job's first file among the outputs of the whole render. */
  readonly first: number;
  /**
   * Where the mask is black, the result shows the source's own pixels. Files on this machine; blur in pixels of the
   * source.
   */
  readonly inpaint: { readonly source: string; readonly mask: string; readonly blur: number } | null;
  /** A folder of this job only, for intermediate files. */
  readonly folder: string;
}

/**
 * Converts an engine's files to what was promised: PNG or H.264 MP4 of exactly the promised size, without metadata,
 * with a thumbnail. A video's file exists until the next output is requested. `studio/src/renders/collect-job.ts`
 * decides what follows a useless file.
 * @throws EngineFailure with `badResult` where a file is useless
 * @throws MediaToolError where this machine could not convert it
 */
export async function* finishOutputs(
  files: EngineResult['files'],
  promised: PromisedOutputs,
  signal: AbortSignal,
): AsyncGenerator<RenderedFile> {
  if (files.length === 0) throw badResult('The engine made nothing.');
  for (const [index, file] of files.slice(0, promised.outputs).entries()) {
    signal.throwIfAborted();
    const position = { index: promised.first + index, nsfw: file.nsfw ?? false };
    const output = path.join(promised.folder, `output-${index}`);
    const finish = promised.kind === 'image' ? finishImage : finishVideo;
    yield await explained(finish(file.path, output, promised, position, signal));
  }
}

type Position = Pick<RenderedFile, 'index' | 'nsfw'>;

async function finishImage(
  file: string,
  output: string,
  { size, inpaint }: PromisedOutputs,
  position: Position,
  signal: AbortSignal,
): Promise<RenderedFile> {
  const limits = { ...imageLimits, signal };
  const finished = await runMediaJob('finishImage', { path: file, output, size, maxCrop, inpaint }, limits);
  if (!finished.written) throw otherRatio(finished, size);
  const thumbnail = await makeThumbnail(output, { type: 'image', durationSeconds: null }, signal);
  return { ...position, ...size, contentType: 'image/png', bytes: await readFile(output), thumbnail };
}

async function finishVideo(
  file: string,
  output: string,
  { size }: PromisedOutputs,
  position: Position,
  signal: AbortSignal,
): Promise<RenderedFile> {
  const plain = `${output}-own`;
  await copyVideo(file, plain, signal);
  const own = await probeVideo(plain, 'mp4', signal);
  if (cropOf(own, size) > maxCrop) throw otherRatio(own, size);
  await copyVideo(plain, output, signal, size);
  const { durationSeconds } = await probeVideo(output, 'mp4', signal);
  const thumbnail = await makeThumbnail(output, { type: 'video', durationSeconds }, signal);
  return { ...position, ...size, contentType: 'video/mp4', path: output, durationSeconds, thumbnail };
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const isFile =
      cause instanceof UnreadableMedia ||
      (cause instanceof MediaToolError && !notTheFile.includes(cause.kind));
    if (!isFile) throw cause;
    throw badResult(`What the engine made cannot be read: ${(cause as Error).message}`, cause);
  }
}

function badResult(message: string, cause?: unknown): EngineFailure {
  return new EngineFailure(message, { blame: 'backend', code: 'render_failed', badResult: true, cause });
}

function otherRatio(made: Size, promised: Size): EngineFailure {
  const sizes = `${made.width}×${made.height} pixels instead of ${promised.width}×${promised.height}`;
  return badResult(`The route makes another shape than was promised: ${sizes}.`);
}
