import path from 'node:path';
import type { FfmpegRun } from './ffmpeg-run.ts';
import { ffmpegFailure, MediaToolError } from './media-tool-error.ts';
import { ask, createProcessPool } from './process-pool.ts';
import { watchProcess } from './watch-process.ts';

/** The task that is sent to the process. */
export type WasmTask = Pick<FfmpegRun, 'args' | 'inputs' | 'outputs' | 'maxOutputBytes'>;

/** The answer of the process. */
export type WasmAnswer =
  | { type: 'ended'; exitCode: number; stderrTail: string; residentBytes: number }
  | { type: 'output_too_large' }
  | { type: 'unavailable'; message: string };

/** A process that is larger than this is not reused, because WebAssembly never returns memory. */
const reusableBytes = 400 * 1024 * 1024;
/**
 * How many bytes of its code a function executes before V8 compiles it again for speed: about fifteen times Node's
 * default. A thumbnail or a probe ends before that; for these, compiling took longer than the run. Long videos take the
 * same time either way.
 */
const tieringBudget = 200_000_000;
/** One pool for the whole process, so that callers neither start a process each time nor pass a pool around. */
const pool = createProcessPool({
  module: path.join(import.meta.dirname, 'wasm-ffmpeg-process.ts'),
  jobsPerProcess: 100,
  idleMs: 60_000,
  heapMegabytes: 256,
  nodeOptions: [`--wasm-tiering-budget=${tieringBudget}`],
});

/** Runs the WebAssembly build in a process that does only this run meanwhile. @throws MediaToolError */
export async function runWasmFfmpeg(run: FfmpegRun): Promise<{ stderrTail: string }> {
  const taken = pool.take();
  using watch = watchProcess(taken.child, run);
  const { args, inputs, outputs, maxOutputBytes } = run;
  const task: WasmTask = { args, inputs, outputs, maxOutputBytes };
  const answer = await ask<WasmAnswer>(taken.child, task);
  const verdict = watch.verdict();
  const ended = answer?.type === 'ended' && answer.exitCode === 0 && verdict === undefined;
  if (ended && answer.residentBytes < reusableBytes) pool.giveBack(taken);
  else taken.child.kill('SIGKILL');
  if (ended) return { stderrTail: answer.stderrTail };
  if (verdict !== undefined) throw verdict;
  if (answer?.type === 'output_too_large')
    throw new MediaToolError('output_too_large', `The output is larger than ${run.maxOutputBytes} bytes.`);
  if (answer?.type === 'unavailable') throw new MediaToolError('unavailable', answer.message);
  if (answer === undefined) throw new MediaToolError('failed', 'ffmpeg broke.');
  throw ffmpegFailure(answer.stderrTail);
}
