import { EgressRefusal } from './egress-refusal.ts';

/** The one signal that stops a request, from whichever side. Dispose when the request is over. */
export interface StopSignal extends Disposable {
  signal: AbortSignal;
  /** Stops the request; the first reason counts. */
  stop(reason: EgressRefusal): void;
}

/**
 * Joins the wall clock of one request with the signals of those who outlive it. (AbortSignal.any would do, but
 * leaves a trace in a long-lived signal for each request.)
 */
export function stopSignal(totalTimeoutMs: number, sources: readonly AbortSignal[]): StopSignal {
  const controller = new AbortController();
  const stop = (reason: EgressRefusal) => controller.abort(reason);
  const abort = () => stop(new EgressRefusal('aborted', 'The request was given up by its caller.'));
  const timer = setTimeout(() => {
    stop(new EgressRefusal('timeout', 'The time for the request ran out.'));
  }, totalTimeoutMs);
  for (const source of sources) {
    if (source.aborted) abort();
    source.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    stop,
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', abort);
    },
  };
}
