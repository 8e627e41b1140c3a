import { ignoreOutputErrors } from './output-errors.ts';
import { returnMemoryWhenQuiet } from './return-memory.ts';

/** Sent by the parent over IPC to stop this process. Windows has no SIGTERM that a process can catch. */
export type StopMessage = { type: 'stop' };
/** Sent to the parent once the part serves. */
export type ReadyMessage = { type: 'ready'; url?: string };

export type PartOptions = {
  /** Starts the part. The result is disposed on stop. The signal aborts when stopping begins. */
  start: (stopping: AbortSignal) => Promise<AsyncDisposable & { url?: string }>;
  /**
   * Milliseconds that the stop may take. After this time the process exits anyway. Set in `service/src/main.ts`,
   * `studio/src/main.ts` and `studio/src/worker.ts`.
   */
  stopWithinMs: number;
  /** Reports to an operator why the start failed: in one sentence when the operator can fix the problem. */
  onStartFailure: (error: unknown) => void;
};

/**
 * Runs one part of the product as this process. Sends the parent a message when the part is ready. Stops the part in
 * order on SIGTERM, on SIGINT, on a stop message, or when the parent is gone (its IPC channel closes, even after kill
 * -9). Output that cannot be written does not end the process. An idle part returns memory to the system.
 */
export async function runPart(options: PartOptions): Promise<void> {
  ignoreOutputErrors();
  const stopping = new AbortController();
  const asked = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    process.once('disconnect', () => resolve());
    // The parent may have exited while this program was loading.
    if (process.send !== undefined && !process.connected) resolve();
    process.on('message', (message) => {
      if ((message as StopMessage | null)?.type === 'stop') resolve();
    });
  });
  // Exits even when the part is still starting or does not finish stopping.
  void asked.then(() => setTimeout(() => process.exit(1), options.stopWithinMs).unref());
  let part: AsyncDisposable & { url?: string };
  try {
    part = await options.start(stopping.signal);
  } catch (error) {
    options.onStartFailure(error);
    process.exitCode = 1;
    disconnect();
    // Exits even when something is still open: a part that failed to start must not stay as an idle process.
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
