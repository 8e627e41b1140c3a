import type { Screen } from './screen.ts';

/** What the screen shows about a part that is down: when it dies, when the outage lasts, and when the part is back. */
export type Outage = Disposable & {
  /** The part died, or died again. */
  down: (reason: string) => void;
  /** The part serves (again). */
  up: () => void;
};

/** A successful restart takes less time than this. */
const momentMs = 5_000;

/**
 * Creates the reporter of a part's outages. @param part `name` is shown on the screen; `log` is the log file to read
 */
export function tellOutage(screen: Screen, part: { name: string; log: string }): Outage {
  let since: number | undefined;
  let lastReason = '';
  let told = false;
  let timer: NodeJS.Timeout | undefined;
  const tellThatItLasts = () => {
    told = true;
    screen.problem(
      `${part.name} is still down (${lastReason}). It is tried again until it is back; its log is ${part.log}.`,
    );
  };
  return {
    down: (reason) => {
      lastReason = reason;
      // Shown once: restarts over hours would fill the screen with the same line.
      if (since !== undefined) return;
      since = performance.now();
      screen.problem(`${reason}; it is started again`);
      timer = setTimeout(tellThatItLasts, momentMs);
      timer.unref();
    },
    up: () => {
      clearTimeout(timer);
      if (since !== undefined && told)
        screen.line(`${part.name} is back, after ${Math.round((performance.now() - since) / 1_000)} s.`);
      since = undefined;
      told = false;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
