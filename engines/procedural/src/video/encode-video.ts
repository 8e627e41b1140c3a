import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Canvas } from '@napi-rs/canvas';
import { EngineError, type MediaFile, type Size } from '@renderkit/engine-kit/engine.ts';
import { ffmpeg } from '@renderkit/media-kit/ffmpeg.ts';
import { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import type { DrawingReport } from '../drawing-report.ts';
import { FRAME_RATE } from './shot.ts';
import { toYuv, yuvBytes } from './yuv-frame.ts';

/**
 * Limit for the bytes of uncompressed frames on the disk: about seven seconds of the usual size. The frames of longer
 * and larger videos are stored as JPEG until the encoder runs, which needs a third more processor time.
 */
const MAX_PLAIN_BYTES = 64_000_000;
/** High enough that only the video encoding itself is visible. */
const JPEG_QUALITY = 93;
/**
 * A smaller number means better quality and a larger file. `ends` applies to the first and the last frame, which are
 * compared with given images.
 */
const QUALITY = { video: 22, ends: 15 };
/**
 * Preset of x264. `superfast` and the options below save time on placing B-frames, dividing and transforming blocks,
 * and motion in fractions of pixels. Deblocking and the adaptive quality of blocks stay on: they keep skies smooth.
 * Weights and scene cuts stay on too: without them lightning leaves a ghost in neighbouring frames. With quality 22
 * instead of 24, encoding takes three fifths of the time. The files of four films were 28 % smaller to 34 % larger, and
 * their luminance 1.2 dB worse to 1.1 dB better.
 */
const PRESET = 'superfast';
const SPARED = 'b-adapt=0:partitions=none:subme=0:8x8dct=0';
const TIMEOUT_MS = 10 * 60_000;
const MAX_BYTES = 500_000_000;

export interface VideoPlan extends Size {
  readonly frames: number;
  /** Audio files, played one after another. They are cut at the video's end, or followed by silence. */
  readonly audios: readonly MediaFile[];
  /** A video whose audio is used if `audios` is empty and the video has audio. */
  readonly audioOf: MediaFile | null;
}

export interface EncodeOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly drawing: Pick<DrawingReport, 'show' | 'encoding'>;
  /** For tests: if the frames have more bytes than this, they are stored as JPEG. */
  readonly maxPlainBytes?: number;
}

/** Encodes H.264 that players can start before the download is complete. Returns the file's path in `directory`. */
export async function encodeVideo(
  plan: VideoPlan,
  frameAt: (index: number) => Canvas | Promise<Canvas>,
  { directory, signal, drawing, maxPlainBytes = MAX_PLAIN_BYTES }: EncodeOptions,
): Promise<string> {
  const frames = join(directory, framesName);
  const plain = yuvBytes(plan) * plan.frames <= maxPlainBytes;
  const bytesOf = plain ? plainFrame(plan) : (canvas: Canvas) => canvas.encode('jpeg', JPEG_QUALITY);
  const file = await open(frames, 'w');
  try {
    for (let index = 0; index < plan.frames; index++) {
      // Drawing blocks the thread. Between two frames, an abort signal can be processed.
      await nextTurn();
      signal.throwIfAborted();
      const canvas = await frameAt(index);
      drawing.show((index + 1) / plan.frames, canvas);
      await file.write(await bytesOf(canvas));
    }
  } finally {
    await file.close();
  }
  drawing.encoding();
  const output = join(directory, 'video.mp4');
  const audios = plan.audios.length > 0 ? plan.audios : plan.audioOf ? [plan.audioOf] : [];
  const run = (audible: readonly MediaFile[]) =>
    ffmpeg(argumentsFor(plan, plain, audible.length), {
      inputs: {
        [framesName]: frames,
        ...Object.fromEntries(audible.map(({ path }, index) => [audioName(index), path])),
      },
      outputs: { 'video.mp4': output },
      signal,
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_BYTES,
    });
  try {
    await run(audios);
  } catch (error) {
    signal.throwIfAborted();
    const refused = error instanceof MediaToolError && error.kind === 'failed' && audios.length > 0;
    if (!refused) throw error;
    if (plan.audios.length > 0)
      throw new EngineError('unreadable_reference', 'A sound of the request could not be read.', {
        cause: error,
      });
    // The source video has no audio, or its audio cannot be read.
    await run([]);
  }
  return output;
}

const audioName = (index: number) => `audio-${index}.bin`;

const framesName = 'frames.bin';

/** Returns a function that converts frames for the encoder. A result is only valid until the next call. */
function plainFrame(size: Size): (canvas: Canvas) => Buffer {
  const bytes = Buffer.alloc(yuvBytes(size));
  const { width, height } = size;
  return (canvas) => toYuv(canvas.getContext('2d').getImageData(0, 0, width, height).data, size, bytes);
}

/** JPEG uses the matrix of BT.601, which is kept and declared. Only the range is converted to the range of video. */
function frameArguments({ width, height }: Size, plain: boolean): { input: string[]; filter: string[] } {
  return plain
    ? { input: ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${width}x${height}`], filter: [] }
    : { input: ['-f', 'mjpeg'], filter: ['-vf', 'scale=in_range=pc:out_range=tv,format=yuv420p'] };
}

function argumentsFor(plan: VideoPlan, plain: boolean, audioCount: number): string[] {
  const { frames } = plan;
  const { input, filter } = frameArguments(plan, plain);
  const seconds = (frames / FRAME_RATE).toFixed(6);
  const last = frames - 1;
  const { video, ends } = QUALITY;
  const inputs = Array.from({ length: audioCount }, (_, index) => ['-i', audioName(index)]);
  return [
    [...input, '-framerate', String(FRAME_RATE), '-i', framesName],
    ...inputs,
    ['-map', '0:v:0', ...filter],
    ['-c:v', 'libx264', '-preset', PRESET, '-crf', String(video), '-profile:v', 'high'],
    ['-x264-params', `keyint=${FRAME_RATE * 2}:${SPARED}:zones=0,0,q=${ends}/${last},${last},q=${ends}`],
    ['-colorspace', 'smpte170m', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
    ...(audioCount > 0 ? audioArguments(audioCount, seconds) : []),
    ['-movflags', '+faststart', '-f', 'mp4', 'video.mp4'],
  ].flat();
}

function audioArguments(audioCount: number, seconds: string): string[][] {
  const inputs = Array.from({ length: audioCount }, (_, index) => index + 1);
  const alike = inputs.map(
    (input) => `[${input}:a:0]aresample=48000,aformat=sample_fmts=fltp:channel_layouts=stereo[s${input}]`,
  );
  const joined = `${inputs.map((input) => `[s${input}]`).join('')}concat=n=${audioCount}:v=0:a=1`;
  return [
    ['-filter_complex', `${alike.join(';')};${joined},apad,atrim=0:${seconds}[audio]`],
    ['-map', '[audio]', '-c:a', 'aac', '-b:a', '160k'],
  ];
}
