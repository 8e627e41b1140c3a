/** The interval for checking a wait. A check that runs too late reveals a standstill of this process. */
const lookMs = 1_000;
/** A check that is later than this was delayed by a standstill: a stopped process, or a blocked event loop. */
const maxLateMs = 1_000;
/** This many standstills are not counted between two measured windows. */
const maxStandstills = 3;

/**
 * Calls `onTooSlow` when fewer bytes than the minimum arrived in a whole window. Only time spent waiting for the sender
 * counts: a slow disk of ours is not the sender's fault. The last, unfinished window is never measured.
 *
 * A standstill of this process is not the sender's fault either: the bytes that arrived meanwhile are in the socket,
 * and timers fire before the socket is read. So a standstill restarts the window, but at most `maxStandstills` times
 * between two measured windows. After that each late check counts, with at most `maxLateMs` of its delay. So a silent
 * sender reaches the end of its window, however slow the event loop is.
 */
export class RateFloor implements Disposable {
  readonly #minBytes: number;
  readonly #windowMs: number;
  readonly #onTooSlow: () => void;
  #bytes = 0;
  #waitedMs = 0;
  #waitingSince: number | undefined;
  // Stays set between waits, because there are thousands of them per second.
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #standstills = 0;

  constructor(minBytesPerSecond: number, windowMs: number, onTooSlow: () => void) {
    this.#minBytes = (minBytesPerSecond * windowMs) / 1000;
    this.#windowMs = windowMs;
    this.#onTooSlow = onTooSlow;
  }

  /** Starts a wait. The caller must call this before each wait for the sender. */
  wait(): void {
    this.#waitingSince = performance.now();
    if (this.#timer !== undefined) return;
    const delayMs = Math.min(this.#windowMs - this.#waitedMs, lookMs);
    this.#dueAt = this.#waitingSince + delayMs;
    this.#timer = setTimeout(() => this.#look(), delayMs);
  }

  /** Ends a wait. The caller must call this after each wait, with the number of received bytes. */
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
    // If the check was due before the wait began, our own work delayed it.
    const lateFrom = Math.max(this.#dueAt, this.#waitingSince) + maxLateMs;
    if (now > lateFrom && this.#standstills < maxStandstills) this.#beginAnew();
    else this.#waitedMs += Math.min(now, lateFrom) - this.#waitingSince;
    this.#waitingSince = now;
  }

  /** Restarts the window. Bytes from before the standstill stay counted. The next wait sets the timer. */
  #beginAnew(): void {
    this.#standstills++;
    this.#waitedMs = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Checks how much of the passed time was waiting. The next wait sets the timer again. */
  #look(): void {
    this.#timer = undefined;
    if (this.#waitingSince === undefined) return;
    this.#countWait();
    // A timer may fire a little early.
    if (this.#waitedMs >= this.#windowMs - 1) this.#measure();
    // `onTooSlow` may have disposed this object.
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
