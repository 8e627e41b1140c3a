import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { runEach } from './run-each.ts';

/** Does the next limited batch of some work. Returns true when the batch was full: there may be more work. */
export type BatchJob = () => Promise<boolean>;

const ordinaryMaxBatches = 50;

/**
 * Runs one round: for each job, one batch after another until a batch is not full. `maxBatches` (default 50) limits the
 * batches of each job; `maxJobMs` limits the time in which a job may begin a batch. Returns whether a job reached one
 * of the limits. When a job fails, the other jobs still run; the first error is thrown at the end.
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
 * Runs `round` until disposed: again at once when it returns true (there is more work), else after `everyMs`. Long work
 * is split into rounds so that no round counts as stuck. Logs and retries errors like `startLoop`.
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
