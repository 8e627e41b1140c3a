import { EgressRefusal } from './egress-refusal.ts';

/** The one thing that stops a request, from whichever side. Dispose when the request is over. */
export interface StopSignal extends Disposable {
  /** Why it was stopped; undefined while it was not. */
  readonly reason: EgressRefusal | undefined;
  /** The same for those who want a signal of the platform; made when first asked for. */
  readonly signal: AbortSignal;
  /** Sets what is called when the request is stopped, one at a time; at once where it was. */
  onStop(callback: (reason: EgressRefusal) => void): void;
  /** Stops the request; the first reason counts. */
  stop(reason: EgressRefusal): void;
}

/** Stops many requests at once: the end of those who make them. */
export class StopGroup {
  readonly #members = new Set<StopSignal>();
  #stopped = false;

  add(member: StopSignal): void {
    if (this.#stopped) member.stop(givenUp());
    else this.#members.add(member);
  }

  remove(member: StopSignal): void {
    this.#members.delete(member);
  }

  stop(): void {
    this.#stopped = true;
    for (const member of this.#members) member.stop(givenUp());
  }
}

/**
 * Joins the wall clock of one request with the end of its group and the signal of its caller, who may outlive it. No
 * signal of the platform is made where nobody asks for one: with its listeners it costs as much as a small request.
 */
export function stopSignal(
  totalTimeoutMs: number,
  { group, caller }: { group?: StopGroup; caller?: AbortSignal | undefined } = {},
): StopSignal {
  let reason: EgressRefusal | undefined;
  let controller: AbortController | undefined;
  let stopped: ((reason: EgressRefusal) => void) | undefined;
  const abort = () => own.stop(givenUp());
  const timer = setTimeout(() => {
    own.stop(new EgressRefusal('timeout', 'The time for the request ran out.'));
  }, totalTimeoutMs);
  const own: StopSignal = {
    get reason() {
      return reason;
    },
    get signal() {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort(reason);
      return controller.signal;
    },
    onStop(callback) {
      stopped = callback;
      if (reason !== undefined) callback(reason);
    },
    stop(because) {
      if (reason !== undefined) return;
      reason = because;
      controller?.abort(because);
      stopped?.(because);
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      group?.remove(own);
      caller?.removeEventListener('abort', abort);
    },
  };
  if (caller?.aborted === true) abort();
  caller?.addEventListener('abort', abort, { once: true });
  group?.add(own);
  return own;
}

function givenUp(): EgressRefusal {
  return new EgressRefusal('aborted', 'The request was given up by its caller.');
}
