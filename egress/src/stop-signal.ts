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
  #over: PromiseWithResolvers<void> | undefined;

  add(member: StopSignal): void {
    if (this.#stopped) member.stop(givenUp());
    else this.#members.add(member);
  }

  remove(member: StopSignal): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#over?.resolve();
  }

  /** Resolves when the last of them is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#over ??= Promise.withResolvers<void>();
    for (const member of this.#members) member.stop(givenUp());
    if (this.#members.size > 0) await this.#over.promise;
  }
}

/**
 * Joins the wall clock of one request with the end of its group and the signal of its caller, who may outlive it. No
 * signal of the platform is made where nobody asks for one: with its listeners it costs as much as a small request.
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
    // A listener that is an object needs no function of its own for each request.
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
