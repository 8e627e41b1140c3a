import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { mediaEnvironment } from './config.ts';
import type { FfmpegRun } from './ffmpeg-run.ts';
import { ffmpegFailure, MediaToolError } from './media-tool-error.ts';
import { createTail } from './tail.ts';
import { lowerPriority, watchProcess } from './watch-process.ts';

/** Runs the program that `ffmpeg` names. @throws MediaToolError; `unavailable` when there is no such program */
export async function runSystemFfmpeg(ffmpeg: string, run: FfmpegRun): Promise<{ stderrTail: string }> {
  const files = { ...run.inputs, ...run.outputs };
  // Limit of CPU seconds, in case the studio is killed and cannot end ffmpeg.
  const cpuSeconds = Math.ceil(run.timeoutMs / 1000) * availableParallelism();
  const global = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', '-timelimit', String(cpuSeconds)];
  const args = run.args.map((arg) => (files[arg] === undefined ? arg : `file:${files[arg]}`));
  const child = spawn(ffmpeg, [...global, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: mediaEnvironment(),
    windowsHide: true,
  });
  const tail = createTail();
  child.stderr.on('data', (chunk: Buffer) => tail.add(chunk.toString('latin1')));
  using watch = watchProcess(child, { ...run, check: () => checkOutputs(run) });
  lowerPriority(child);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new MediaToolError('unavailable', `${ffmpeg} could not be started.`, { cause })),
    );
    child.once('close', resolve);
  });
  const verdict = watch.verdict();
  if (verdict !== undefined) throw verdict;
  if (code !== 0) throw ffmpegFailure(tail.text() || `exit code ${code}`);
  return { stderrTail: tail.text() };
}

async function checkOutputs(run: FfmpegRun): Promise<MediaToolError | undefined> {
  const sizes = await Promise.all(
    Object.values(run.outputs).map((file) =>
      stat(file).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  );
  if (sizes.reduce((sum, size) => sum + size, 0) <= run.maxOutputBytes) return undefined;
  return new MediaToolError('output_too_large', `The output is larger than ${run.maxOutputBytes} bytes.`);
}
