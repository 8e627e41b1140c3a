import { fork } from 'node:child_process';
import path from 'node:path';
import { mediaEnvironment } from './config.ts';
import type { FfmpegRun } from './ffmpeg.ts';
import { MediaToolError } from './media-tool-error.ts';
import { lowerPriority, watchProcess } from './watch-process.ts';

/** What the process is told. */
export type WasmTask = Pick<FfmpegRun, 'args' | 'inputs' | 'outputs' | 'maxOutputBytes'>;

/** What it answers, once. */
export type WasmAnswer =
  | { type: 'ended'; exitCode: number; stderrTail: string }
  | { type: 'output_too_large' }
  | { type: 'unavailable'; message: string };

/** Of JavaScript; the build's own memory is apart. */
const heapMegabytes = 256;

/** Runs the WebAssembly build in a process of its own, one for each run. @throws MediaToolError */
export async function runWasmFfmpeg(run: FfmpegRun): Promise<{ stderrTail: string }> {
  const child = fork(path.join(import.meta.dirname, 'wasm-ffmpeg-process.ts'), [], {
    env: mediaEnvironment(),
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  using watch = watchProcess(child, run);
  lowerPriority(child);
  const answer = await new Promise<WasmAnswer | undefined>((resolve) => {
    let told: WasmAnswer | undefined;
    child.once('message', (message) => {
      told = message as WasmAnswer;
      child.kill('SIGKILL');
    });
    child.once('error', () => child.kill('SIGKILL'));
    child.once('close', () => resolve(told));
    const { args, inputs, outputs, maxOutputBytes } = run;
    child.send({ args, inputs, outputs, maxOutputBytes } satisfies WasmTask, () => undefined);
  });
  if (answer?.type === 'ended' && answer.exitCode === 0) return { stderrTail: answer.stderrTail };
  const verdict = watch.verdict();
  if (verdict !== undefined) throw verdict;
  if (answer?.type === 'output_too_large')
    throw new MediaToolError('output_too_large', `The output is larger than ${run.maxOutputBytes} bytes.`);
  if (answer?.type === 'unavailable') throw new MediaToolError('unavailable', answer.message);
  throw new MediaToolError(
    'failed',
    answer === undefined ? 'ffmpeg broke.' : `ffmpeg failed: ${answer.stderrTail}`,
  );
}
