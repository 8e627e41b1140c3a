import { ignoreOutputErrors } from './output-errors.ts';
import { returnMemoryWhenQuiet } from './return-memory.ts';

/** Asked to stop by the parent over IPC (Windows has no SIGTERM that a process can catch). */
export type StopMessage = { type: 'stop' };
/** Sent to the parent once the part serves. */
export type ReadyMessage = { type: 'ready'; url?: string };

export type PartOptions = {
  /** Starts the part; what it owns is disposed on stop. The signal aborts when stopping begins. */
  start: (stopping: AbortSignal) => Promise<AsyncDisposable & { url?: string }>;
  /** Milliseconds the stop may take before the process ends all the same. */
  stopWithinMs: number;
  /** Tells an operator why the start failed; one sentence for what they can mend. */
  onStartFailure: (error: unknown) => void;
};

/**
 * Runs one part of the product as this process: the parent gets a message when it is ready, and it stops in order on SIGTERM,
 * SIGINT, a stop message, or when the parent is gone (its IPC channel closes, even after kill -9). Output that cannot be
 * written does not end it, and a quiet part gives memory back.
 */
export async function runPart(options: PartOptions): Promise<void> {
  ignoreOutputErrors();
  const stopping = new AbortController();
  const asked = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    process.once('disconnect', () => resolve());
    // The parent may have gone while this program was being loaded.
    if (process.send !== undefined && !process.connected) resolve();
    process.on('message', (message) => {
      if ((message as StopMessage | null)?.type === 'stop') resolve();
    });
  });
  // Whatever is still starting or does not end: a part that was asked to stop does not stay.
  void asked.then(() => setTimeout(() => process.exit(1), options.stopWithinMs).unref());
  let part: AsyncDisposable & { url?: string };
  try {
    part = await options.start(stopping.signal);
  } catch (error) {
    options.onStartFailure(error);
    process.exitCode = 1;
    disconnect();
    // Whatever was left open: a part that did not start must not stay behind as a process that does nothing.
    setTimeout(() => process.exit(1), options.stopWithinMs).unref();
    return;
  }
  if (process.connected)
    process.send?.({
      type: 'ready',
      ...(part.url !== undefined && { url: part.url }),
    } satisfies ReadyMessage);
  returnMemoryWhenQuiet(stopping.signal);
  await asked;
  stopping.abort(new Error('stopping'));
  await part[Symbol.asyncDispose]();
  disconnect();
}

// An open channel would keep the process alive.
function disconnect(): void {
  if (process.connected) process.disconnect();
}
