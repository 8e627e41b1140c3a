// A browser has six connections to a server over HTTP/1.1, for all its tabs together. Streams take four of them at most: a
// stream has one of four slots, which are locks that all tabs see.

/** Streams of all tabs together; two connections are left for everything else. */
export const maxStreams = 4;
/** Until a slot that was taken is looked for again. */
const againMs = 2_000;

/** Slots of this tab alone, where the browser has no locks: pages that come by http from another machine. */
const own = new Set<number>();

/**
 * Holds a slot for a stream until the signal comes: the first that is free, now or later. `onChange` hears whether it has
 * one, at first and whenever that changes before the signal.
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

/** Takes a slot, where it is free, until the signal comes. False where it is not. */
async function heldUntil(slot: number, signal: AbortSignal, begin: () => void): Promise<boolean> {
  const hold = async (isFree: boolean) => {
    if (!isFree || signal.aborted) return false;
    begin();
    await ended(signal);
    return true;
  };
  // Only pages of a secure context have locks, whatever the types say.
  const locks = navigator.locks as LockManager | undefined;
  if (locks !== undefined)
    return locks
      .request(`renderkit-stream-${slot}`, { ifAvailable: true }, (lock) => hold(lock !== null))
      .catch(() => false);
  // Other tabs cannot be seen here. One stream for each leaves slots for several.
  if (slot > 0 || own.has(slot)) return false;
  own.add(slot);
  return hold(true).finally(() => own.delete(slot));
}

/** Resolves at the signal, or after a time. */
function ended(signal: AbortSignal, ms?: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
