/**
 * Calls `onTooSlow` when less than the floor came in a whole window. Only time spent waiting for the sender counts:
 * a slow disk of ours is not the sender's fault. The last, unfinished window is never judged.
 */
export class RateFloor implements Disposable {
  readonly #minBytes: number;
  readonly #windowMs: number;
  readonly #onTooSlow: () => void;
  #bytes = 0;
  #waitedMs = 0;
  #waitingSince = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(minBytesPerSecond: number, windowMs: number, onTooSlow: () => void) {
    this.#minBytes = (minBytesPerSecond * windowMs) / 1000;
    this.#windowMs = windowMs;
    this.#onTooSlow = onTooSlow;
  }

  /** Call before each wait for the sender. */
  wait(): void {
    this.#waitingSince = performance.now();
    this.#timer = setTimeout(() => {
      this.#judge();
      this.wait();
    }, this.#windowMs - this.#waitedMs);
  }

  /** Call after each wait, with the bytes that it brought. */
  received(bytes: number): void {
    clearTimeout(this.#timer);
    this.#waitedMs += performance.now() - this.#waitingSince;
    this.#bytes += bytes;
    if (this.#waitedMs >= this.#windowMs) this.#judge();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #judge(): void {
    if (this.#bytes < this.#minBytes) this.#onTooSlow();
    this.#bytes = 0;
    this.#waitedMs = 0;
  }
}
