/**
 * Calls `onTooSlow` when less than the floor came in a whole window. Only time spent waiting for the sender counts:
 * a slow disk of ours is not the sender's fault. The last, unfinished window is never measured.
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

  constructor(minBytesPerSecond: number, windowMs: number, onTooSlow: () => void) {
    this.#minBytes = (minBytesPerSecond * windowMs) / 1000;
    this.#windowMs = windowMs;
    this.#onTooSlow = onTooSlow;
  }

  /** Call before each wait for the sender. */
  wait(): void {
    this.#waitingSince = performance.now();
    this.#timer ??= setTimeout(() => this.#look(), this.#windowMs - this.#waitedMs);
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
    this.#waitedMs += now - this.#waitingSince;
    this.#waitingSince = now;
  }

  /** A window's time has passed; how much of it was waiting is another matter. The next wait sets the timer again. */
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
    if (tooSlow) this.#onTooSlow();
  }
}
