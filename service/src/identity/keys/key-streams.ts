import { maxStreamsPerKey, maxStreamsPerProcess } from '@renderkit/contract/v1/limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { EventStream } from '@renderkit/server-kit/http/event-streams.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { type Loop, startLoop } from '@renderkit/server-kit/work/loop.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { Principal } from '../admission/principal.ts';
import { readEndedSessions } from '../sessions/queries.ts';
import { readUnusableKeys } from './queries.ts';

const fullRetrySeconds = 5;

type Held = { keyId: string; sessionId: string | undefined };

/**
 * Keeps the open event streams of this process with their keys and sessions. Limits their number, and ends a stream
 * when its key or session is no longer valid.
 */
export class KeyStreams implements AsyncDisposable {
  readonly #database: Database;
  readonly #held = new Map<EventStream, Held>();
  readonly #ofKey = new Map<string, number>();
  readonly #floor: Loop;

  constructor({ database, log }: { database: Database; log: Logger }) {
    this.#database = database;
    this.#floor = startLoop({ name: 'stream floor', everyMs: 1_000, log, run: () => this.#look() });
  }

  /**
   * Returns a function to call with a stream once it is open. The function passes the stream to `begin`; the stream
   * ends when its key or session ends.
   * @throws ApiProblem `rate_limited` when the key, or this process, has too many streams
   */
  opener(principal: Principal, begin: (stream: EventStream) => void): (stream: EventStream) => void {
    const { key, actor } = principal;
    const own = this.#ofKey.get(key.id) ?? 0;
    if (own >= maxStreamsPerKey || this.#held.size >= maxStreamsPerProcess)
      throw new ApiProblem('rate_limited', {
        detail:
          own >= maxStreamsPerKey
            ? `The key has its ${maxStreamsPerKey} streams open.`
            : 'Too many streams are open just now.',
        retryAfterSeconds: fullRetrySeconds,
      });
    const sessionId = actor?.kind === 'person' ? actor.sessionId : undefined;
    return (stream) => {
      this.#hold(stream, { keyId: key.id, sessionId });
      begin(stream);
    };
  }

  /**
   * Ends the streams of keys that are no longer valid. `service/src/generations/signals.ts` calls this when a key is
   * revoked.
   */
  revoke(keyIds: readonly string[]): void {
    const revoked = new Set(keyIds);
    this.#end(({ keyId }) => revoked.has(keyId));
  }

  /** Checks all streams at once, because notifications may have been lost. */
  lookNow(): void {
    this.#floor.wake();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#floor[Symbol.asyncDispose]());
  }

  #hold(stream: EventStream, held: Held): void {
    this.#held.set(stream, held);
    this.#ofKey.set(held.keyId, (this.#ofKey.get(held.keyId) ?? 0) + 1);
    stream.onClose(() => {
      this.#held.delete(stream);
      const left = (this.#ofKey.get(held.keyId) ?? 1) - 1;
      if (left === 0) this.#ofKey.delete(held.keyId);
      else this.#ofKey.set(held.keyId, left);
    });
  }

  #end(isOver: (held: Held) => boolean): void {
    for (const [stream, held] of this.#held) if (isOver(held)) stream.end();
  }

  async #look(): Promise<void> {
    if (this.#held.size === 0) return;
    this.revoke(await readUnusableKeys(this.#database, [...this.#ofKey.keys()]));
    const sessions = new Set([...this.#held.values()].flatMap(({ sessionId }) => sessionId ?? []));
    if (sessions.size === 0) return;
    const ended = new Set(await readEndedSessions(this.#database, [...sessions]));
    this.#end(({ sessionId }) => sessionId !== undefined && ended.has(sessionId));
  }
}
