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
 * Bytes of frames that may lie on the disk as they are: some seven seconds of the usual size. Longer and larger videos wait for the
 * encoder as JPEG, which costs a third of the processor time once more.
 */
const MAX_PLAIN_BYTES = 64_000_000;
/** Good enough that what follows is all that can be seen of it. */
const JPEG_QUALITY = 93;
/** Smaller is better and larger; the first and the last frame are what is compared with a given image. */
const QUALITY = { video: 22, ends: 15 };
/**
 * Of x264. Left out of `superfast` is what it spends on choosing where to put B-frames, how to divide and transform a block, and
 * motion in parts of pixels. What keeps skies smooth stays: deblocking, and the quality of each block by what it shows. So do
 * weights and changes of scene: without them a bolt of lightning leaves a ghost in the frames beside it. With a quality of 22
 * in place of 24 it takes three fifths of the time; the files of four films were 28 % smaller to 34 % larger, and their
 * luminance 1.2 dB worse to 1.1 dB better.
 */
const PRESET = 'superfast';
const SPARED = 'b-adapt=0:partitions=none:subme=0:8x8dct=0';
const TIMEOUT_MS = 10 * 60_000;
const MAX_BYTES = 500_000_000;

export interface VideoPlan extends Size {
  readonly frames: number;
  /** Audio files, played one after the other, cut or followed by silence to the video's end. */
  readonly audios: readonly MediaFile[];
  /** A video whose audio is taken where `audios` is empty and it has any. */
  readonly audioOf: MediaFile | null;
}

export interface EncodeOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly drawing: Pick<DrawingReport, 'show' | 'encoding'>;
  /** For tests: frames beyond so many bytes wait as JPEG. */
  readonly maxPlainBytes?: number;
}

/** H.264 that every player can begin to play before it has all of it. Returns the file's path in `directory`. */
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
      // Drawing holds the thread; between two frames the signal gets its turn.
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
    // The video that is drawn anew has no audio, or none that can be read.
    await run([]);
  }
  return output;
}

const audioName = (index: number) => `audio-${index}.bin`;

const framesName = 'frames.bin';

/** Frames as the encoder takes them; each is good until the next. */
function plainFrame(size: Size): (canvas: Canvas) => Buffer {
  const bytes = Buffer.alloc(yuvBytes(size));
  const { width, height } = size;
  return (canvas) => toYuv(canvas.getContext('2d').getImageData(0, 0, width, height).data, size, bytes);
}

/** JPEG has the matrix of BT.601, which is kept and named; only the range becomes that of video. */
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
