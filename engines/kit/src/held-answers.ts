import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { isOfGateway, messageIn, parseJson, refusalOf } from './backend-answer.ts';
import type { BackendHttp, BackendRequest } from './backend-http.ts';
import { EngineFailure, type EngineFailureCode, type EngineFailureOptions } from './driver.ts';
import type { BackendAnswer } from './http-exchange.ts';
import { onUnknownOf, type Route } from './route.ts';

/**
 * How long an answer is held after it was last taken, in milliseconds: its files may have to be read again. Longer than any pause
 * between two tries; `drop` ends it sooner as a rule.
 */
const keptMs = 10 * 60_000;
/** How long one is held that nobody took yet: the database may be away. */
const untakenMs = 60 * 60_000;
/**
 * Of all answers together that were taken already: as much as the largest one of any engine, so that usual ones outlast a disk
 * that is full for a while. What was taken longest ago goes first, and the last one never.
 */
const maxTakenBytes = 512 * 1024 * 1024;
/** Statuses of who turns a request away before anything of it is begun. */
const turnedAway: ReadonlySet<number> = new Set([401, 402, 403, 425, 429]);

interface Held {
  readonly answer: Promise<BackendAnswer>;
  readonly stop: AbortController;
  /** Of an answer that was taken. */
  takenBytes: number;
  /** When it is let go of by itself. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Answers of engines that answer only when they are done: they belong to the process that asked, and to no other. A submission
 * is over when its request is on its way, and following it is waiting for the answer.
 */
export class HeldAnswers implements Disposable {
  /** What was taken longest ago stands before what was taken later. */
  readonly #held = new Map<string, Held>();
  readonly #maxTakenBytes: number;

  /** @param limits for tests: another bound of what is kept of answers that were taken */
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
      // One before it under the same id goes on, and nobody asks for it any more.
      clearTimeout(this.#held.get(id)?.timer);
      this.#held.set(id, held);
      const onEnd = () => this.#letGoIn(untakenMs, id, held);
      answer.then(onEnd, onEnd);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** An id may have been given to a later request meanwhile: only this one is let go of. */
  #letGoIn(ms: number, id: string, held: Held): void {
    if (this.#held.get(id) !== held) return;
    clearTimeout(held.timer);
    held.timer = setTimeout(() => {
      if (this.#held.get(id) === held) this.#held.delete(id);
    }, ms).unref();
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
      // Whatever it was that broke the wait off: the engine was asked, and may have made it.
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

  /** Whether this process waits for the answer, or has it. */
  has(id: string): boolean {
    return this.#held.has(id);
  }

  /** Gives up a request whose answer nobody wants any more, or lets go of the answer. Whoever waits for it is told that it is lost. */
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

/** Never by a plain error: who waits would take it for one of our own, after which a job is sent again. */
function giveUp({ stop, timer }: Held, message: string): void {
  clearTimeout(timer);
  stop.abort(new EngineFailure(message, { blame: 'backend', code: 'outcome_unknown' }));
}

/** A job whose answer nobody can have any more: it may be made anew where its route says so. */
export function lostAnswer(message: string, route: Route, cause?: unknown): EngineFailure {
  return new EngineFailure(message, { blame: 'backend', code: codeOfLost(route), cause });
}

/**
 * What an answer without success stands for where an engine answers only when it is done. It is the job's end, so it is never
 * `engine_unavailable`; where a gateway speaks, or nobody says a word, the job may have been made all the same.
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
