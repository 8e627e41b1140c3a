import { setTimeout as sleep } from 'node:timers/promises';
import { EngineFailure, type DriverTools, type FollowedJob } from './driver.ts';

const defaultPollMs = { first: 1_000, quiet: 15_000 };
const growth = 1.5;
/** Seconds without a good answer after which nobody can tell what became of a job. */
const defaultSilentSeconds = 300;

/** The pace at which one job is looked at: quick after a change, slower while nothing happens. */
export interface Poll {
  /** Waits for the next look. `changed`: whether the last one showed anything new. @throws the signal's reason */
  next(changed: boolean, signal: AbortSignal): Promise<void>;
  /** Ends the wait under way, or the next one: the engine gave a sign. */
  wake(): void;
}

/** A pace for one job. Waits grow from `first` to `quiet` milliseconds. */
export function createPoll({ first, quiet }: NonNullable<DriverTools['pollMs']> = defaultPollMs): Poll {
  let ms = first;
  let woken = new AbortController();
  return {
    async next(changed, signal) {
      ms = changed ? first : Math.min(quiet, ms * growth);
      await sleep(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => {});
      signal.throwIfAborted();
      if (woken.signal.aborted) {
        woken = new AbortController();
        ms = first;
      }
    },
    wake: () => woken.abort(),
  };
}

/**
 * Looks at a job again and again until `look` gives an end. A look that fails for a while is no news of the job: only when
 * the route's `silent` time, five minutes by default, went by without a good one is the outcome unknown. Yields what is new.
 * @throws EngineFailure of `look` that is not the backend's fault for a while; the signal's reason
 */
export async function* pollJob<News, End>(
  tools: Pick<DriverTools, 'pollMs'>,
  job: Pick<FollowedJob, 'route'>,
  look: (signal: AbortSignal) => Promise<{ news: News } | { end: End }>,
  signal: AbortSignal,
): AsyncGenerator<News, End> {
  const poll = createPoll(tools.pollMs);
  const silentMs = (job.route.timeouts?.silent ?? defaultSilentSeconds) * 1_000;
  let lastGood = performance.now();
  let last = '';
  for (;;) {
    let changed = false;
    try {
      const seen = await look(signal);
      if ('end' in seen) return seen.end;
      lastGood = performance.now();
      const text = JSON.stringify(seen.news);
      changed = text !== last;
      last = text;
      if (changed) yield seen.news;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (performance.now() - lastGood > silentMs) throw unknownOutcome(error);
    }
    await poll.next(changed, signal);
  }
}

/** Failures that say nothing of a job which the engine has: it could not be asked. */
function isPassing(error: unknown): error is EngineFailure {
  return error instanceof EngineFailure && error.code === 'engine_unavailable' && error.blame === 'backend';
}

/** The engine may have made it, and cannot be asked. */
export function unknownOutcome(cause: EngineFailure): EngineFailure {
  return new EngineFailure(cause.message, { blame: 'backend', code: 'outcome_unknown', cause });
}
