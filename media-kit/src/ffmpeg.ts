import { copyFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { ffmpegPath } from './config.ts';
import type { FfmpegOptions, FfmpegRun } from './ffmpeg-run.ts';
import { MediaToolError } from './media-tool-error.ts';
import { runSystemFfmpeg } from './system-ffmpeg.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';
import { runWasmFfmpeg } from './wasm-ffmpeg.ts';

const defaultMaxMemoryBytes = 1024 * 1024 * 1024;
/** A name must be one whole argument that cannot be confused with a number or an option. */
const nameShape = /^[a-z][a-z0-9-]*\.[a-z0-9]+$/;

/**
 * The codec for JPEG frames; use it instead of `-c:v mjpeg` alone. With computed tables, the encoder of the
 * WebAssembly build writes beyond its memory where a side is no multiple of 16: it crashes or never ends. The standard
 * tables make files a few percent larger.
 */
export const mjpegCodec: readonly string[] = ['-c:v', 'mjpeg', '-huffman', 'default'];

/**
 * Runs ffmpeg in a separate process: the system's (`FFMPEG_PATH`, or `ffmpeg` on the PATH), else the WebAssembly build.
 * Arguments and result are the same for both. An argument that is the name of an input or an output means that file
 * (`-i in.mp4`). ffmpeg reads only files and pipes, never the network. Name the format of untrusted files (`-f mov -i
 * in.mp4`), otherwise a playlist could be read as a video.
 *
 * @returns the end of ffmpeg's messages, for logs
 * @throws MediaToolError
 */
export async function ffmpeg(
  args: readonly string[],
  options: FfmpegOptions,
): Promise<{ stderrTail: string }> {
  const names = [...Object.keys(options.inputs), ...Object.keys(options.outputs)];
  const odd = names.find((name) => !nameShape.test(name));
  if (odd !== undefined) throw new TypeError(`"${odd}" cannot stand for a file: it must be like "in.mp4"`);
  if (new Set(names).size < names.length) throw new TypeError('an input and an output have the same name');
  if (options.signal.aborted)
    throw new MediaToolError('aborted', 'The work was ended.', { cause: options.signal.reason });
  return withTemporaryDirectory(async (directory) => {
    const outputs = mapValues(options.outputs, (_, name) => path.join(directory, name));
    const inputs = mapValues(options.inputs, (file) => path.resolve(file));
    const run = {
      ...options,
      args: filesOnly(args),
      inputs,
      outputs,
      maxMemoryBytes: options.maxMemoryBytes ?? defaultMaxMemoryBytes,
    };
    const result = await execute(run, options.executor);
    await handOver(options, outputs);
    return result;
  });
}

async function execute(run: FfmpegRun, executor: FfmpegOptions['executor']): Promise<{ stderrTail: string }> {
  if (executor === 'wasm') return runWasmFfmpeg(run);
  const own = ffmpegPath();
  try {
    return await runSystemFfmpeg(own ?? 'ffmpeg', run);
  } catch (error) {
    const missing = error instanceof MediaToolError && error.kind === 'unavailable';
    if (missing && own !== undefined)
      throw new MediaToolError('unavailable', `FFMPEG_PATH is "${own}", which cannot be started.`, {
        cause: error,
      });
    if (!missing || executor === 'system') throw error;
  }
  return runWasmFfmpeg(run);
}

/** Adds the whitelist to each input, because it applies only to the input that follows it. */
function filesOnly(args: readonly string[]): string[] {
  return args.flatMap((arg) => (arg === '-i' ? ['-protocol_whitelist', 'file,pipe', '-i'] : [arg]));
}

async function handOver(options: FfmpegOptions, made: Readonly<Record<string, string>>): Promise<void> {
  const sizes = await Promise.all(
    Object.entries(made).map(async ([name, file]) => {
      const found = await stat(file).catch(() => undefined);
      // ffmpeg also succeeds when it found nothing to write, such as a frame past the end.
      if (found === undefined || found.size === 0)
        throw new MediaToolError('failed', `ffmpeg wrote nothing into ${name}.`);
      return found.size;
    }),
  );
  if (sizes.reduce((sum, size) => sum + size, 0) > options.maxOutputBytes)
    throw new MediaToolError(
      'output_too_large',
      `The output is larger than ${options.maxOutputBytes} bytes.`,
    );
  for (const [name, target] of Object.entries(options.outputs)) await move(made[name] as string, target);
}

/** Moves a file; the temporary directory may be on another disk. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to);
  }
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
