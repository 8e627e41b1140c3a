import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import type { BackendHttp, BackendRequest } from './backend-http.ts';
import { EngineFailure } from './driver.ts';
import type { BackendAnswer } from './http-exchange.ts';
import { onUnknownOf, type Route } from './route.ts';

/** How long an answer is held once it was taken, should its files have to be read again. */
const keptMs = 120_000;
/** How long one is held that nobody took yet: the database may be away. */
const untakenMs = 60 * 60_000;

interface Held {
  readonly answer: Promise<BackendAnswer>;
  readonly stop: AbortController;
}

/**
 * Answers of engines that answer only when they are done: they belong to the process that asked, and to no other. A submission
 * is over when its request is on its way, and following it is waiting for the answer.
 */
export class HeldAnswers implements Disposable {
  readonly #held = new Map<string, Held>();

  /**
   * Sends the request of a submission. `signal` ends only the sending.
   * @throws as `BackendHttp.begin`
   */
  async begin(
    id: string,
    http: BackendHttp,
    request: Omit<BackendRequest, 'signal'>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { answer } = await http.begin({ ...request, signal: stop.signal });
      this.#held.set(id, { answer, stop });
      void this.#letGoLater(id, answer, untakenMs);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #letGoLater(id: string, answer: Promise<BackendAnswer>, afterMs: number): Promise<void> {
    await answer.catch(() => {});
    setTimeout(() => this.#held.delete(id), afterMs).unref();
  }

  /**
   * The answer to a submission, whatever its status. @throws EngineFailure `outcome_unknown` where another process asked, or the
   * answer was lost, and `render_failed` instead where the route lets it be made anew; the signal's reason, and the request
   * goes on
   */
  async wait(
    id: string,
    { backend, route }: { backend: string; route: Route },
    signal: AbortSignal,
  ): Promise<BackendAnswer> {
    const held = this.#held.get(id);
    if (held === undefined)
      throw lostAnswer(`The answer of ${backend} went to a process that is gone.`, route);
    void this.#letGoLater(id, held.answer, keptMs);
    try {
      return await unlessAborted(held.answer, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof EngineFailure ? lostAnswer(error.message, route, error) : error;
    }
  }

  /** Whether this process waits for the answer, or has it. */
  has(id: string): boolean {
    return this.#held.has(id);
  }

  /** Gives up a request. Whether there was one. */
  drop(id: string): boolean {
    const held = this.#held.get(id);
    held?.stop.abort(new Error('The job was canceled.'));
    return this.#held.delete(id);
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#held.values()) stop.abort(new Error('The driver was closed.'));
    this.#held.clear();
  }
}

/** A job whose answer nobody can have any more: it may be made anew where its route says so. */
export function lostAnswer(message: string, route: Route, cause?: EngineFailure): EngineFailure {
  const code = onUnknownOf(route) === 'retry' ? 'render_failed' : 'outcome_unknown';
  return new EngineFailure(message, { blame: 'backend', code, cause });
}
