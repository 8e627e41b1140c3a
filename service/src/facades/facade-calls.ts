import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Presence } from '@renderkit/server-kit/db/presence.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { type Leases, startLeases } from '@renderkit/server-kit/work/leases.ts';
import { canonicalJson } from '../idempotency/idempotency-key.ts';
import {
  forgetCall,
  holdFacadeCall,
  isAbandoned,
  letGo,
  lookBeside,
  recordDelivered,
  refuseCall,
  renewHolders,
  type TakenCall,
  wasOverRate,
} from './store.ts';

/**
 * A create is taken for a repetition of an undelivered one within this time, or within the longer one if it says so. Both run
 * from the last moment at which somebody waited for that one, so that none ends while a repetition waits.
 */
const unsaidSeconds = 2 * 60;
const saidSeconds = 15 * 60;
const leaseMs = 10_000;
/**
 * A client that repeats does so soon after its connection broke. We may hear of that a little later; where the process died
 * that held it, when its lease has run out. For a client that does not say so the process must be seen to be gone.
 */
const maxHolderWaitMs = leaseMs + 2_000;
const askAgainMs = 250;

/** What waits for its client, or has waited. */
export type FacadeCall<Request> = {
  id: string;
  /** As the first of equal requests had it. */
  request: Request;
  adopted: boolean;
  /** Its client has the answer. */
  delivered: () => Promise<void>;
  /** Its client has gone. */
  lost: () => Promise<void>;
  /** It came to nothing, and its client knows: the next equal request begins anew. */
  forgotten: () => Promise<void>;
  /** It came to nothing, and its client was told to ask again: if that says so it has this call, and no other's pictures. */
  refused: () => Promise<void>;
};

export type TakeOptions<Request> = {
  accountId: string;
  /** Facade and route. */
  route: string;
  /** What makes two requests equal: all that was asked for, files by their hashes. */
  identity: object;
  request: Request;
  /** The client says that it repeats a request, and not one that was refused before it was read. */
  repeats: boolean;
};

export type FacadeCallsOptions = {
  database: Database;
  /** Of this process: without its key others wait for no lease of it. */
  presence: Pick<Presence, 'key'>;
  log: Logger;
};

/**
 * Gives a repeated create its first generations (decision 0038): clients of other programs repeat what got no answer and
 * send no Idempotency-Key. A request whose exchange lives is never joined, so that equal ones side by side are several.
 */
export class FacadeCalls implements AsyncDisposable {
  readonly #database: Database;
  readonly #presence: Pick<Presence, 'key'>;
  readonly #leases: Leases;
  readonly #log: Logger;

  constructor({ database, presence, log }: FacadeCallsOptions) {
    this.#database = database;
    this.#presence = presence;
    this.#log = log;
    this.#leases = startLeases({
      name: 'facade holders',
      leaseMs,
      renew: (held) => renewHolders(database, held),
      log,
    });
  }

  async take<Request extends object>(options: TakeOptions<Request>): Promise<FacadeCall<Request>> {
    const holder = newId('fch_');
    const lease = this.#leases.hold(holder);
    try {
      const taken = await this.#takeInTime(options, holder);
      const held = { id: taken.id, holder };
      const end = (record: typeof letGo) => async () => {
        lease[Symbol.dispose]();
        // Lost, the lease runs out by itself.
        await record(this.#database, held).catch((error: unknown) =>
          this.#log.warn({ err: error, call: held.id }, 'the end of a facade call was not recorded'),
        );
      };
      return {
        id: taken.id,
        request: taken.request as Request,
        adopted: taken.outcome === 'adopted',
        delivered: end(recordDelivered),
        lost: end(letGo),
        forgotten: end(forgetCall),
        refused: end(refuseCall),
      };
    } catch (error) {
      lease[Symbol.dispose]();
      throw error;
    }
  }

  async #takeInTime(
    options: TakeOptions<object>,
    holder: string,
  ): Promise<Exclude<TakenCall, { outcome: 'held' }>> {
    const { accountId, route, identity, request, repeats } = options;
    const fingerprint = createHash('sha256')
      .update(`${route}\n${canonicalJson(identity)}`)
      .digest('hex');
    const givenUpAt = performance.now() + maxHolderWaitMs;
    for (;;) {
      const giveUp = performance.now() >= givenUpAt;
      const taken = await holdFacadeCall(this.#database, {
        id: newId('fcl_'),
        accountId,
        fingerprint,
        request,
        holder,
        leaseSeconds: leaseMs / 1_000,
        presence: this.#presence.key,
        repeats,
        unsaidSeconds,
        saidSeconds,
        giveUp,
      });
      if (
        taken.outcome === 'new' &&
        !repeats &&
        !giveUp &&
        (await this.#wasLost({ accountId, fingerprint, id: taken.id }))
      ) {
        await forgetCall(this.#database, { id: taken.id, holder });
        continue;
      }
      if (taken.outcome !== 'held') return taken;
      await sleep(askAgainMs);
    }
  }

  /**
   * Whether an equal call beside a new one has lost its process. A client may be back before the database has ended the session
   * of a process that was killed: where that seems to live, it is looked at a second time.
   */
  async #wasLost(call: { accountId: string; fingerprint: string; id: string }): Promise<boolean> {
    const first = await lookBeside(this.#database, call);
    if (first !== 'living') return first === 'gone';
    await sleep(askAgainMs);
    return (await lookBeside(this.#database, call)) === 'gone';
  }

  /** Whether what a key repeats may have been refused for its rate, before anybody knew what it was. */
  wasOverRate(key: { keyId: string; limit: number }): Promise<boolean> {
    return wasOverRate(this.#database, key);
  }

  /** Whether nobody waits for it any more. */
  isAbandoned(id: string, forMs: number): Promise<boolean> {
    return isAbandoned(this.#database, id, forMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leases[Symbol.asyncDispose]();
  }
}
