import { EgressRefusal } from './egress-refusal.ts';

/** The single signal that stops a request, for any reason. The owner must dispose it when the request is over. */
export interface StopSignal extends Disposable {
  /** Why the request was stopped; `undefined` while it was not. */
  readonly reason: EgressRefusal | undefined;
  /** The stop as an AbortSignal. Created on first use. */
  readonly signal: AbortSignal;
  /**
   * Sets the callback for the stop. Replaces an earlier callback. Calls it at once when the request was already
   * stopped.
   */
  onStop(callback: (reason: EgressRefusal) => void): void;
  /** Stops the request. Only the first reason counts. */
  stop(reason: EgressRefusal): void;
}

/** Stops many requests at once, when their egress ends. */
export class StopGroup {
  readonly #members = new Set<StopSignal>();
  #stopped = false;
  #over: PromiseWithResolvers<void> | undefined;

  add(member: StopSignal): void {
    if (this.#stopped) member.stop(givenUp());
    else this.#members.add(member);
  }

  remove(member: StopSignal): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#over?.resolve();
  }

  /** Stops all members. Resolves when the last of them is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#over ??= Promise.withResolvers<void>();
    for (const member of this.#members) member.stop(givenUp());
    if (this.#members.size > 0) await this.#over.promise;
  }
}

/**
 * Combines the time limit of one request with the end of its group and the signal of its caller. The caller's signal
 * may live longer than the request. Creates no AbortSignal unless somebody asks for one: with its listeners it costs as
 * much as a small request.
 */
export function stopSignal(
  totalTimeoutMs: number,
  of: { group?: StopGroup; caller?: AbortSignal | undefined } = {},
): StopSignal {
  return new JoinedStop(totalTimeoutMs, of);
}

class JoinedStop implements StopSignal {
  reason: EgressRefusal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #group: StopGroup | undefined;
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #onStop: ((reason: EgressRefusal) => void) | undefined;

  constructor(
    totalTimeoutMs: number,
    { group, caller }: { group?: StopGroup; caller?: AbortSignal | undefined },
  ) {
    this.#timer = setTimeout(runOut, totalTimeoutMs, this);
    this.#group = group;
    this.#caller = caller;
    if (caller?.aborted === true) this.handleEvent();
    // The listener is an object, so no new function is needed for each request.
    caller?.addEventListener('abort', this, { once: true });
    group?.add(this);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.reason !== undefined) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  onStop(callback: (reason: EgressRefusal) => void): void {
    this.#onStop = callback;
    if (this.reason !== undefined) callback(this.reason);
  }

  stop(because: EgressRefusal): void {
    if (this.reason !== undefined) return;
    this.reason = because;
    this.#controller?.abort(because);
    this.#onStop?.(because);
  }

  handleEvent(): void {
    this.stop(givenUp());
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#group?.remove(this);
    this.#caller?.removeEventListener('abort', this);
  }
}

function runOut(signal: StopSignal): void {
  signal.stop(new EgressRefusal('timeout', 'The time for the request ran out.'));
}

function givenUp(): EgressRefusal {
  return new EgressRefusal('aborted', 'The request was given up by its caller.');
}
