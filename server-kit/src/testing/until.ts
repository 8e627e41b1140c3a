import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** A result that can end the wait. */
type Found<T> = Exclude<T, false | null | undefined>;

type UntilOptions<T> = {
  /** The condition for the result, in addition to its presence. */
  isSo?: (seen: Found<T>) => boolean;
  /** Long, because only a failing test waits this long, and a busy machine is slow. */
  withinMs?: number;
  /** Milliseconds between two calls of `look`. */
  everyMs?: number;
  /** When true, an error of `look` counts as no result yet. */
  retryErrors?: boolean;
};

/**
 * Calls `look` again and again until its result is present (not false, null or undefined) and `isSo` accepts it.
 * Returns this result. `what` names the condition in the error: "the end of all", "the page settles".
 * @throws Error with `what` and the last result, 90 s or `withinMs` after the start. An error of `look` is thrown at
 * once; with `retryErrors` it becomes the cause of that error
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { isSo = () => true, withinMs = 90_000, everyMs = 20, retryErrors = false }: UntilOptions<T> = {},
): Promise<Found<T>> {
  for (const deadline = performance.now() + withinMs; ; await sleep(everyMs)) {
    let seen: T | undefined;
    let cause: unknown;
    try {
      seen = await look();
    } catch (error) {
      if (!retryErrors) throw error;
      cause = error;
    }
    if (isThere(seen) && isSo(seen)) return seen;
    if (performance.now() > deadline)
      throw new Error(`not within ${withinMs / 1_000} s: ${what}; ${say(seen, cause)}`, { cause });
  }
}

function isThere<T>(seen: T | undefined): seen is Found<T> {
  return seen !== false && seen !== null && seen !== undefined;
}

function say(seen: unknown, cause: unknown): string {
  if (cause !== undefined) return `the last look failed: ${(cause as Error).message}`;
  return `the last look saw ${inspect(seen, { breakLength: Infinity })}`;
}
