import { EngineFailure, type DriverTools } from './driver.ts';

const defaultPollMs = { first: 1_000, quiet: 15_000 };
const growth = 1.5;

/** The pace of polling one job: fast after a change, slower while nothing happens. */
export interface Poll {
  /**
   * Waits until the next poll is due. `changed`: whether the last poll showed anything new. @throws the signal's reason
   */
  next(changed: boolean, signal: AbortSignal): Promise<void>;
  /** Ends the current wait, or the next one: the engine sent a sign of life. */
  wake(): void;
}

/** Creates the pace for one job. Waits grow from `first` to `quiet` milliseconds. */
export function createPoll({ first, quiet }: NonNullable<DriverTools['pollMs']> = defaultPollMs): Poll {
  let ms = first;
  let isWoken = false;
  let endWait = () => {};
  return {
    async next(changed, signal) {
      ms = changed ? first : Math.min(quiet, ms * growth);
      // Hundreds of jobs wait here, so each uses only a timer and a listener, without its own signal.
      const { promise, resolve } = Promise.withResolvers<void>();
      endWait = () => resolve();
      const timer = setTimeout(endWait, isWoken ? 0 : ms);
      const onAbort = endWait;
      signal.addEventListener('abort', onAbort, { once: true });
      if (!signal.aborted) await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      signal.throwIfAborted();
      if (isWoken) ms = first;
      isWoken = false;
    },
    wake: () => {
      isWoken = true;
      endWait();
    },
  };
}

/**
 * Polls a job until `look` returns an end. Ignores `engine_unavailable`: that the engine cannot be asked for a while
 * does not change the job. Yields the news of each successful poll as a sign of life.
 * `studio/src/renders/follow-job.ts` ends the wait when the time of the job is over. @throws EngineFailure of `look`
 * that is the job's end; the signal's reason
 */
export async function* pollJob<News, End>(
  { pollMs }: Pick<DriverTools, 'pollMs'>,
  look: (signal: AbortSignal) => Promise<{ news: News } | { end: End }>,
  signal: AbortSignal,
): AsyncGenerator<News, End> {
  const poll = createPoll(pollMs);
  let last = '';
  for (;;) {
    let isNew = false;
    try {
      const seen = await look(signal);
      if ('end' in seen) return seen.end;
      const text = JSON.stringify(seen.news);
      isNew = text !== last;
      last = text;
      yield seen.news;
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.code !== 'engine_unavailable') throw error;
    }
    await poll.next(isNew, signal);
  }
}
