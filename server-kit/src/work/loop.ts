import type { Logger } from '../process/logger.ts';

export type LoopOptions = {
  name: string;
  /** The longest pause between two runs, in milliseconds. `wake` ends it early. */
  everyMs: number;
  /** Runs one round. An error is logged, and the loop continues after a pause that doubles up to `maxPauseMs`. */
  run: (stopping: AbortSignal) => Promise<unknown>;
  log: Logger;
  /**
   * Called when no round ended within `stuckAfterMs`. The process should then exit and be started again.
   * `service/src/main.ts` does that.
   */
  onStuck?: (name: string) => void;
  /** Default 30,000. */
  stuckAfterMs?: number;
  /** Default 30,000. */
  maxPauseMs?: number;
};

export type Loop = AsyncDisposable & { wake: () => void };

export type LoopProgress = {
  name: string;
  /** Rounds that ended, successfully or not, since the process started the loop. */
  rounds: number;
  /** Rounds that failed since the last successful one. */
  failures: number;
  /** Seconds since the last successful round ended, or since the start when there was none. */
  secondsSinceGood: number;
};

const underWay = new Set<() => LoopProgress>();

/** Returns the progress of all loops of this process: for metrics, not for decisions. */
export function readLoopProgress(): LoopProgress[] {
  return [...underWay].map((read) => read());
}

const defaultMaxPauseMs = 30_000;
const initialPauseMs = 250;

function pauseAfter(failures: number, maxPauseMs: number): number {
  const doubled = initialPauseMs * 2 ** Math.min(failures - 1, 10);
  return Math.min(maxPauseMs, doubled, failures > 3 ? maxPauseMs : 2_000);
}

/**
 * Calls `run` repeatedly until disposed, never two rounds at once. A wake during a round starts another round right
 * after it.
 */
export function startLoop(options: LoopOptions): Loop {
  const stopping = new AbortController();
  const maxPauseMs = options.maxPauseMs ?? defaultMaxPauseMs;
  let woken = false;
  let failures = 0;
  let endPause: (() => void) | undefined;
  let roundBegan = performance.now();
  let lastGood = roundBegan;
  let rounds = 0;

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    }).finally(() => (endPause = undefined));

  const runRounds = async () => {
    while (!stopping.signal.aborted) {
      woken = false;
      roundBegan = performance.now();
      try {
        await options.run(stopping.signal);
        failures = 0;
        lastGood = performance.now();
      } catch (error) {
        if (stopping.signal.aborted) return;
        failures++;
        options.log.warn({ loop: options.name, failures, err: error }, 'a round of a background loop failed');
      }
      rounds++;
      roundBegan = Number.POSITIVE_INFINITY;
      if (stopping.signal.aborted) return;
      // After a failure `wake` does not end the pause, so that an unavailable database is not overloaded.
      if (failures > 0) await pause(pauseAfter(failures, maxPauseMs));
      else if (!woken) await pause(options.everyMs);
    }
  };

  const stuckAfterMs = options.stuckAfterMs ?? 30_000;
  const watchdog = setInterval(() => {
    if (performance.now() - roundBegan > stuckAfterMs) options.onStuck?.(options.name);
  }, stuckAfterMs / 4);
  watchdog.unref();
  const progress = () => ({
    name: options.name,
    rounds,
    failures,
    secondsSinceGood: (performance.now() - lastGood) / 1_000,
  });
  underWay.add(progress);
  const done = runRounds();

  return {
    wake: () => {
      woken = true;
      if (failures === 0) endPause?.();
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error(`${options.name} is stopping`));
      clearInterval(watchdog);
      underWay.delete(progress);
      endPause?.();
      await done;
    },
  };
}
