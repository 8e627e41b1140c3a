import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { isOfGateway, messageIn, parseJson, refusalOf } from './backend-answer.ts';
import type { BackendHttp, BackendRequest } from './backend-http.ts';
import { EngineFailure, type EngineFailureCode, type EngineFailureOptions } from './driver.ts';
import type { BackendAnswer } from './http-exchange.ts';
import { onUnknownOf, type Route } from './route.ts';

/**
 * How long an answer is kept after it was last taken, in milliseconds: its files may have to be read again. This is
 * longer than any pause between two tries. Usually `drop` removes the answer sooner.
 */
const keptMs = 10 * 60_000;
/** Milliseconds to keep an answer that nobody has taken yet: the database may be away. */
const untakenMs = 60 * 60_000;
/**
 * Limit for all answers together that were already taken. It is the largest answer of any engine, so that usual answers
 * survive a disk that is full for a while. The answer that was taken longest ago is removed first; the last one taken
 * is never removed.
 */
const maxTakenBytes = 512 * 1024 * 1024;
/** Statuses of a refusal before any part of the job began. */
const turnedAway: ReadonlySet<number> = new Set([401, 402, 403, 425, 429]);

interface Held {
  readonly answer: Promise<BackendAnswer>;
  readonly stop: AbortController;
  /** Size of an answer that was taken; 0 before that. */
  takenBytes: number;
  /** Removes the answer after its time. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Keeps answers of engines that answer only when the job is finished. Only the process that sent the request can get
 * its answer. A submission ends when its request is sent; to follow the job means to wait for the answer.
 */
export class HeldAnswers implements Disposable {
  /** In the order in which they were last taken, oldest first. */
  readonly #held = new Map<string, Held>();
  readonly #maxTakenBytes: number;

  /** @param limits for tests: another limit for answers that were already taken */
  constructor(limits: { readonly maxTakenBytes?: number } = {}) {
    this.#maxTakenBytes = limits.maxTakenBytes ?? maxTakenBytes;
  }

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
      const held: Held = { answer, stop, takenBytes: 0, timer: undefined };
      // An earlier request under the same id goes on, but its answer is no longer used.
      clearTimeout(this.#held.get(id)?.timer);
      this.#held.set(id, held);
      const onEnd = () => this.#letGoIn(untakenMs, id, held);
      answer.then(onEnd, onEnd);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Removes exactly this entry later: a newer request may have the same id by then. */
  #letGoIn(ms: number, id: string, held: Held): void {
    if (this.#held.get(id) !== held) return;
    clearTimeout(held.timer);
    held.timer = setTimeout(() => {
      if (this.#held.get(id) === held) this.#held.delete(id);
    }, ms).unref();
  }

  /**
   * Returns the answer to a submission, whatever its status. @throws EngineFailure where another process sent the
   * request or the answer was lost: `outcome_unknown`, or `render_failed` where the route allows another try. The
   * signal's reason; the request goes on
   */
  async wait(
    id: string,
    { backend, route }: { backend: string; route: Route },
    signal: AbortSignal,
  ): Promise<BackendAnswer> {
    const held = this.#held.get(id);
    if (held === undefined)
      throw lostAnswer(
        `No answer of ${backend} is held here: another process asked, or it was let go of.`,
        route,
      );
    try {
      const answer = await unlessAborted(held.answer, signal);
      this.#take(id, held, answer.body.length);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      // Whatever ended the wait: the engine has the request and may have made the result.
      throw lostAnswer(error instanceof Error ? error.message : String(error), route, error);
    }
  }

  #take(id: string, held: Held, bytes: number): void {
    if (this.#held.get(id) !== held) return;
    held.takenBytes = bytes;
    this.#held.delete(id);
    this.#held.set(id, held);
    this.#letGoIn(keptMs, id, held);
    let taken = this.#held.values().reduce((sum, { takenBytes }) => sum + takenBytes, 0);
    for (const [otherId, other] of this.#held) {
      if (taken <= this.#maxTakenBytes) break;
      if (other === held || other.takenBytes === 0) continue;
      taken -= other.takenBytes;
      clearTimeout(other.timer);
      this.#held.delete(otherId);
    }
  }

  /** Returns whether this process waits for the answer, or has it. */
  has(id: string): boolean {
    return this.#held.has(id);
  }

  /**
   * Aborts a request whose answer is no longer wanted, or removes the answer. Callers that wait for it get an error
   * that it is lost.
   */
  drop(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    giveUp(held, 'The job was given up.');
  }

  [Symbol.dispose](): void {
    for (const held of this.#held.values()) giveUp(held, 'The driver was closed.');
    this.#held.clear();
  }
}

/** Never aborts with a plain error: the waiting caller would treat it as our own error and send the job again. */
function giveUp({ stop, timer }: Held, message: string): void {
  clearTimeout(timer);
  stop.abort(new EngineFailure(message, { blame: 'backend', code: 'outcome_unknown' }));
}

/**
 * Creates the failure for a job whose answer is lost for everybody. The job may be made again if its route allows that.
 */
export function lostAnswer(message: string, route: Route, cause?: unknown): EngineFailure {
  return new EngineFailure(message, { blame: 'backend', code: codeOfLost(route), cause });
}

/**
 * Returns the failure for an answer without success, of an engine that answers only when the job is finished. The
 * failure ends the job, so its code is never `engine_unavailable`. Where a gateway answered, or a server error has no
 * message, the engine may still have made the result.
 */
export function failureOfHeld(
  http: BackendHttp,
  answer: BackendAnswer,
  { doing, route }: { doing: string; route: Route },
  more: Partial<EngineFailureOptions> = {},
): EngineFailure {
  const isWordless = answer.status >= 500 && messageIn(parseJson(answer)) === '';
  if (isWordless || isOfGateway(answer)) {
    return refusalOf(http, answer, doing, { blame: 'backend', code: codeOfLost(route) });
  }
  const untaken = turnedAway.has(answer.status);
  return refusalOf(http, answer, doing, { code: 'render_failed', untaken, ...more });
}

function codeOfLost(route: Route): EngineFailureCode {
  return onUnknownOf(route) === 'retry' ? 'render_failed' : 'outcome_unknown';
}
