import type { Screen } from './screen.ts';

/** What the screen says of one part that is away: at its death, once that lasts, and when it is back. */
export type Outage = Disposable & {
  /** It died, or died again. */
  down: (reason: string) => void;
  /** It serves (again). */
  up: () => void;
};

/** A restart that works takes less than this. */
const momentMs = 5_000;

/** @param part what the screen calls it; `log` is the file to look into */
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
      // Tried again for hours, it would fill the screen with one line.
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
