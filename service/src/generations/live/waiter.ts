/** One open long poll. There may be 20,000: it holds a timer and what wakes it. */
export class Waiter {
  readonly keyId: string;
  /** The time is up, the client has gone, or the service stops: the next answer is the last. */
  over = false;
  /** The generation at its end, where who woke it had that at hand. */
  text: string | undefined;
  readonly #timer: NodeJS.Timeout;
  #pending = false;
  #resolve: (() => void) | undefined;
  #gone: AbortSignal | undefined;

  constructor(keyId: string, waitMs: number) {
    this.keyId = keyId;
    this.#timer = setTimeout(() => this.giveUp(), waitMs);
  }

  /** There may be something new to read. */
  wake(text?: string): void {
    this.text ??= text;
    this.#pending = true;
    this.#resolve?.();
    this.#resolve = undefined;
  }

  giveUp = (): void => {
    this.over = true;
    this.wake();
  };

  /** Gives up when the client goes. */
  watch(gone: AbortSignal): void {
    if (this.#gone !== undefined) return;
    this.#gone = gone;
    if (gone.aborted) this.giveUp();
    else gone.addEventListener('abort', this.giveUp, { once: true });
  }

  /** Settles at the next wake, or at once if there was one since the last time. */
  async woken(): Promise<void> {
    if (!this.#pending)
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
    this.#pending = false;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#gone?.removeEventListener('abort', this.giveUp);
  }
}
