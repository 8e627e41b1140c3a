import { maxLongPollsPerProcess } from '@renderkit/contract/v1/limits.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { type Loop, startLoop } from '@renderkit/server-kit/work/loop.ts';
import { unauthorized } from '../../identity/admission/admit.ts';
import { readUnusableKeys } from '../../identity/keys/queries.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type GenerationRow, generationText } from '../present.ts';
import { noSuchGeneration } from '../reads/read-generation.ts';
import { readAwaited, readSettledSince } from '../reads/store.ts';
import { isFinal } from '../settle/status.ts';
import { createWaiters, Waiter } from './waiter.ts';

const fullRetrySeconds = 5;

type Asked = { id: string; accountId: string; keyId: string };

const batches = { maxSize: 512, maxInFlight: 2, isHopeless: isDatabaseUnavailable };

export type LongPollsOptions = {
  database: Database;
  log: Logger;
  /** Default 20,000. */
  max?: number | undefined;
  /** Milliseconds between looks for changes that no notification reported. Default 1,000. */
  floorMs?: number | undefined;
};

/** Holds requests until their generation has finished. A waiting request uses no database connection. */
export class LongPolls implements AsyncDisposable {
  readonly #database: Database;
  readonly #max: number;
  readonly #waiters = createWaiters();
  readonly #floor: Loop;
  readonly #read: (asked: Asked) => Promise<{ usable: boolean; row: GenerationRow | undefined }>;
  readonly #isUsable: (keyId: string) => Promise<boolean>;
  #closing = false;
  #lastLook: string | undefined;

  constructor({ database, log, max, floorMs }: LongPollsOptions) {
    this.#database = database;
    this.#max = max ?? maxLongPollsPerProcess;
    this.#read = createBatcher<Asked, { usable: boolean; row: GenerationRow | undefined }>({
      ...batches,
      run: (asked) => readAwaited(database, asked),
    });
    this.#isUsable = createBatcher<string, boolean>({
      ...batches,
      run: async (keyIds) => {
        const unusable = new Set(await readUnusableKeys(database, [...new Set(keyIds)]));
        return keyIds.map((keyId) => !unusable.has(keyId));
      },
    });
    this.#floor = startLoop({
      name: 'long poll floor',
      everyMs: floorMs ?? 1_000,
      log,
      run: () => this.#look(),
    });
  }

  get open(): number {
    return this.#waiters.count;
  }

  /**
   * Returns the text of the generation when the generation is final, the time is up, or the service stops (`closing`).
   * @throws ApiProblem `not_found`; `unauthorized` once the key is revoked; `rate_limited` when too many requests wait
   */
  async wait({
    seconds,
    gone,
    ...asked
  }: Asked & { seconds: number; gone: () => AbortSignal }): Promise<{ text: string; closing: boolean }> {
    if (this.#waiters.count >= this.#max)
      throw new ApiProblem('rate_limited', {
        detail: 'Too many requests wait for generations just now.',
        retryAfterSeconds: fullRetrySeconds,
      });
    // Registers before it reads, so that a change in between wakes it.
    const waiter = new Waiter(asked.keyId, seconds * 1_000);
    this.#waiters.add(asked.id, waiter);
    if (this.#closing) waiter.giveUp();
    try {
      return { text: await this.#await(asked, waiter, gone), closing: this.#closing };
    } finally {
      this.#waiters.remove(asked.id, waiter);
    }
  }

  /**
   * Wakes the polls of generations that reached their last status. With `texts`, the polls need not read the
   * generations.
   */
  wake(ids: readonly string[], texts?: readonly (string | undefined)[]): void {
    this.#waiters.wake(ids, texts);
  }

  /** Wakes the polls of keys that are no longer valid. */
  revoke(keyIds: readonly string[]): void {
    this.#waiters.revoke(keyIds);
  }

  /** Looks at once for missed changes, because notifications may have been lost. */
  lookNow(): void {
    this.#floor.wake();
  }

  /** Answers every open long poll with the current state. The caller must call this before the server closes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    this.#waiters.giveUp();
    await this.#floor[Symbol.asyncDispose]();
  }

  async #await(asked: Asked, waiter: Waiter, gone: () => AbortSignal): Promise<string> {
    for (;;) {
      const { usable, row } = await this.#read(asked);
      if (!usable) throw unauthorized();
      if (row === undefined) throw noSuchGeneration();
      if (waiter.over || isFinal(row.status)) return generationText(row);
      waiter.watch(gone());
      await waiter.woken();
      // The read above proved that the generation is the account's; the key may have been revoked since.
      if (waiter.text === undefined) continue;
      if (!(await this.#isUsable(asked.keyId))) throw unauthorized();
      return waiter.text;
    }
  }

  async #look(): Promise<void> {
    if (this.#waiters.count === 0) return void (this.#lastLook = undefined);
    const settled = await readSettledSince(this.#database, this.#lastLook);
    this.#lastLook = settled.at;
    this.#waiters.wake(settled.ids);
    this.#waiters.revoke(await readUnusableKeys(this.#database, this.#waiters.keyIds()));
  }
}
