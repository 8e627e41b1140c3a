// A browser opens six connections to a server over HTTP/1.1, shared by all its tabs. Streams use at most four of them.
// Each stream holds one of four slots. The slots are locks that all tabs share.

/**
 * The most streams of all tabs together. Two connections are left for other requests. `watchingOf` in
 * `console/src/pages/playground/use-runs.ts` chooses the generations that get a stream.
 */
export const maxStreams = 4;
/** Pause before the next search for a free slot. */
const againMs = 2_000;

/** Slots of this tab, where the browser has no locks: pages over http from another machine. */
const own = new Set<number>();

/**
 * Holds the first slot that is free, now or later, until the signal aborts. Calls `onChange` with whether a slot is
 * held, at first and after each change.
 */
export async function holdStreamSlot(onChange: (held: boolean) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (let slot = 0; slot < maxStreams; slot++)
      if (await heldUntil(slot, signal, () => onChange(true))) return;
    if (signal.aborted) return;
    onChange(false);
    await ended(signal, againMs);
  }
}

/** Holds a free slot until the signal aborts. Returns `false` when the slot is taken. */
async function heldUntil(slot: number, signal: AbortSignal, begin: () => void): Promise<boolean> {
  const hold = async (isFree: boolean) => {
    if (!isFree || signal.aborted) return false;
    begin();
    await ended(signal);
    return true;
  };
  // Only pages in a secure context have locks, although the types say otherwise.
  const locks = navigator.locks as LockManager | undefined;
  if (locks !== undefined)
    return locks
      .request(`renderkit-stream-${slot}`, { ifAvailable: true }, (lock) => hold(lock !== null))
      .catch(() => false);
  // Other tabs cannot be detected here. With one stream per tab, slots remain for several tabs.
  if (slot > 0 || own.has(slot)) return false;
  own.add(slot);
  return hold(true).finally(() => own.delete(slot));
}

/** Resolves when the signal aborts, or after `ms`. */
function ended(signal: AbortSignal, ms?: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
