import path from 'node:path';
import type { FfmpegRun } from './ffmpeg-run.ts';
import { ffmpegFailure, MediaToolError } from './media-tool-error.ts';
import { ask, createProcessPool } from './process-pool.ts';
import { watchProcess } from './watch-process.ts';

/** What the process is told. */
export type WasmTask = Pick<FfmpegRun, 'args' | 'inputs' | 'outputs' | 'maxOutputBytes'>;

/** What it answers. */
export type WasmAnswer =
  | { type: 'ended'; exitCode: number; stderrTail: string; residentBytes: number }
  | { type: 'output_too_large' }
  | { type: 'unavailable'; message: string };

/** A process that has grown beyond it is not used again: WebAssembly gives nothing back. */
const reusableBytes = 400 * 1024 * 1024;
/**
 * So many bytes of its code a function runs through before it is compiled again for speed, about fifteen times Node's own
 * number. A thumbnail or a probe is over by then: compiling for it took longer than it ran. A film takes as long either way.
 */
const tieringBudget = 200_000_000;
/** They belong to this process as a whole: nobody should pay for a start each time, nor carry a pool about. */
const pool = createProcessPool({
  module: path.join(import.meta.dirname, 'wasm-ffmpeg-process.ts'),
  jobsPerProcess: 100,
  idleMs: 60_000,
  heapMegabytes: 256,
  nodeOptions: [`--wasm-tiering-budget=${tieringBudget}`],
});

/** Runs the WebAssembly build in a process that does nothing else meanwhile. @throws MediaToolError */
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
