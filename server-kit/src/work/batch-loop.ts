import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { runEach } from './run-each.ts';

/** Does the next limited batch of some work. True where it was full: there may be more. */
export type BatchJob = () => Promise<boolean>;

const ordinaryMaxBatches = 50;

/**
 * One round: does each job's batches, one after another, until one is not full. `maxBatches` (default 50) is the limit
 * for each job, and so is `maxJobMs` where it is given: no batch of it begins later. So a round ends. Returns whether a job
 * reached either. A job that fails keeps no other from its turn: the first error is thrown at the end.
 */
export async function runBatches(
  jobs: readonly BatchJob[],
  options: { maxBatches?: number; maxJobMs?: number; stopping?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const { maxBatches = ordinaryMaxBatches, maxJobMs = Number.POSITIVE_INFINITY, stopping } = options;
  const isToStop = () => stopping?.aborted === true;
  let more = false;
  await runEach(jobs, async (job) => {
    const deadline = performance.now() + maxJobMs;
    let full = true;
    for (let i = 0; full && !isToStop() && i < maxBatches && performance.now() < deadline; i++)
      full = await job();
    more ||= full;
  });
  return more && !isToStop();
}

/**
 * Runs `round` until disposed: again at once where it returns that there is more, else after `everyMs`. A long work is cut
 * into rounds so that none counts as stuck; an error is logged and retried as `startLoop` does.
 */
export function startBatchLoop(
  options: Omit<LoopOptions, 'run'> & { round: (stopping: AbortSignal) => Promise<boolean> },
): Loop {
  const { round, ...rest } = options;
  const loop = startLoop({
    ...rest,
    run: async (stopping) => {
      if (await round(stopping)) loop.wake();
    },
  });
  return loop;
}
