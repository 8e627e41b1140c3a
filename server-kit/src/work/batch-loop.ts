import { type Loop, type LoopOptions, startLoop } from './loop.ts';

/** Does the next limited batch of some work. True where it was full: there may be more. */
export type BatchJob = () => Promise<boolean>;

const ordinaryMaxBatches = 50;

/**
 * One round: does each job's batches, one after another, until one is not full. `maxBatches` (default 50) is the limit
 * for each job, so that a round ends. Returns whether a job reached it. The first error ends the round.
 */
export async function runBatches(
  jobs: readonly BatchJob[],
  options: { maxBatches?: number; stopping?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const { maxBatches = ordinaryMaxBatches, stopping } = options;
  let more = false;
  for (const job of jobs) {
    let full = true;
    for (let i = 0; full && i < maxBatches; i++) {
      if (stopping?.aborted === true) return false;
      full = await job();
    }
    more ||= full;
  }
  return more;
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
