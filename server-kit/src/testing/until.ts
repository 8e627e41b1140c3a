import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** What a look can see that is worth waiting for. */
type Found<T> = Exclude<T, false | null | undefined>;

type UntilOptions<T> = {
  /** What must hold of what is seen, besides that it is there. */
  isSo?: (seen: Found<T>) => boolean;
  /** Long: nobody waits for it but where something broke, and a busy machine takes its time. */
  withinMs?: number;
  /** Between two looks. */
  everyMs?: number;
  /** A look that throws has seen nothing yet. */
  retryErrors?: boolean;
};

/**
 * Looks again and again until there is what is awaited: anything but false, null and undefined of which `isSo` holds.
 * Returns what was seen. `what` names it in the error: "the end of all", "the page settles".
 * @throws Error that names it and says what the last look saw, 90 s or `withinMs` after the first; what a look throws,
 * at once, or as that error's cause where errors are retried
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
