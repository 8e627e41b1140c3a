/** One open long poll. There may be 20,000, so it holds only a timer and what is needed to wake it. */
export class Waiter {
  readonly keyId: string;
  /** The time is up, the client disconnected, or the service stops: the next answer is the last. */
  over = false;
  /** The text of the finished generation, if the caller of `wake` passed it. */
  text: string | undefined;
  readonly #timer: NodeJS.Timeout;
  #pending = false;
  #resolve: (() => void) | undefined;
  #gone: AbortSignal | undefined;

  constructor(keyId: string, waitMs: number) {
    this.keyId = keyId;
    this.#timer = setTimeout(() => this.giveUp(), waitMs);
  }

  /** Wakes the poll, because there may be something new to read. */
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

  /** Gives up when the client disconnects. */
  watch(gone: AbortSignal): void {
    if (this.#gone !== undefined) return;
    this.#gone = gone;
    if (gone.aborted) this.giveUp();
    else gone.addEventListener('abort', this.giveUp, { once: true });
  }

  /** Resolves at the next wake, or at once if there was one since the last call. */
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

/** The open long polls of this process, by the generation that they wait for. */
export function createWaiters() {
  const byGeneration = new Map<string, Set<Waiter>>();
  let count = 0;
  const all = function* () {
    for (const some of byGeneration.values()) yield* some;
  };
  return {
    get count() {
      return count;
    },
    add: (id: string, waiter: Waiter) => {
      count++;
      const others = byGeneration.get(id);
      if (others === undefined) byGeneration.set(id, new Set([waiter]));
      else others.add(waiter);
    },
    remove: (id: string, waiter: Waiter) => {
      count--;
      waiter.end();
      const others = byGeneration.get(id);
      others?.delete(waiter);
      if (others?.size === 0) byGeneration.delete(id);
    },
    wake: (ids: readonly string[], texts: readonly (string | undefined)[] = []) => {
      for (const [i, id] of ids.entries())
        for (const waiter of byGeneration.get(id) ?? []) waiter.wake(texts[i]);
    },
    /** Wakes the polls of revoked keys: they read again and see the revocation. */
    revoke: (keyIds: readonly string[]) => {
      if (keyIds.length === 0) return;
      const revoked = new Set(keyIds);
      for (const waiter of all()) if (revoked.has(waiter.keyId)) waiter.wake();
    },
    keyIds: (): string[] => {
      const ids = new Set<string>();
      for (const waiter of all()) ids.add(waiter.keyId);
      return [...ids];
    },
    giveUp: () => {
      for (const waiter of all()) waiter.giveUp();
    },
  };
}
