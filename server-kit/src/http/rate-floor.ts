/** A wait is looked at as often as this. A standstill of this process is told by a look that comes too late. */
const lookMs = 1_000;
/** A look that is later than this was held up by a standstill: a stopped process, or a loop that was blocked. */
const maxLateMs = 1_000;
/** So many standstills are forgiven before a window is measured again. */
const maxStandstills = 3;

/**
 * Calls `onTooSlow` when less than the floor came in a whole window. Only time spent waiting for the sender counts:
 * a slow disk of ours is not the sender's fault. The last, unfinished window is never measured.
 *
 * Nor is a standstill of this process the sender's: what came meanwhile lies in the socket, and timers ring before it is
 * read. After one, the window begins anew. That is bounded: between two windows that are measured it happens
 * `maxStandstills` times at most. From then on each late look counts, though no more than `maxLateMs` of its lateness, so
 * that a silent sender comes to the end of its window however slow the loop is.
 */
export class RateFloor implements Disposable {
  readonly #minBytes: number;
  readonly #windowMs: number;
  readonly #onTooSlow: () => void;
  #bytes = 0;
  #waitedMs = 0;
  #waitingSince: number | undefined;
  // Left as it is between waits: there are thousands of them in a second.
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #standstills = 0;

  constructor(minBytesPerSecond: number, windowMs: number, onTooSlow: () => void) {
    this.#minBytes = (minBytesPerSecond * windowMs) / 1000;
    this.#windowMs = windowMs;
    this.#onTooSlow = onTooSlow;
  }

  /** Call before each wait for the sender. */
  wait(): void {
    this.#waitingSince = performance.now();
    if (this.#timer !== undefined) return;
    const delayMs = Math.min(this.#windowMs - this.#waitedMs, lookMs);
    this.#dueAt = this.#waitingSince + delayMs;
    this.#timer = setTimeout(() => this.#look(), delayMs);
  }

  /** Call after each wait, with the bytes that it brought. */
  received(bytes: number): void {
    this.#countWait();
    this.#waitingSince = undefined;
    this.#bytes += bytes;
    if (this.#waitedMs >= this.#windowMs) this.#measure();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#waitingSince = undefined;
  }

  #countWait(): void {
    if (this.#waitingSince === undefined) return;
    const now = performance.now();
    // What was due before the wait began was held up by our own work.
    const lateFrom = Math.max(this.#dueAt, this.#waitingSince) + maxLateMs;
    if (now > lateFrom && this.#standstills < maxStandstills) this.#beginAnew();
    else this.#waitedMs += Math.min(now, lateFrom) - this.#waitingSince;
    this.#waitingSince = now;
  }

  /** What came before the standstill stays counted. The next wait sets the timer. */
  #beginAnew(): void {
    this.#standstills++;
    this.#waitedMs = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Some time has passed; how much of it was waiting is another matter. The next wait sets the timer again. */
  #look(): void {
    this.#timer = undefined;
    if (this.#waitingSince === undefined) return;
    this.#countWait();
    // A timer may ring a little early.
    if (this.#waitedMs >= this.#windowMs - 1) this.#measure();
    // That may have been the end.
    if (this.#waitingSince !== undefined) this.wait();
  }

  #measure(): void {
    const tooSlow = this.#bytes < this.#minBytes;
    this.#bytes = 0;
    this.#waitedMs = 0;
    this.#standstills = 0;
    if (tooSlow) this.#onTooSlow();
  }
}
