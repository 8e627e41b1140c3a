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
 * Within this time a create counts as a repetition of an undelivered one; within the longer time if the client says
 * that it repeats. Both run from the last moment at which a client waited for the earlier create, so neither ends while
 * a repetition waits.
 */
const unsaidSeconds = 2 * 60;
const saidSeconds = 15 * 60;
const leaseMs = 10_000;
/**
 * How long a repetition waits for the earlier holder. A client repeats soon after its connection broke, and the service
 * may notice the break a little later. If the holding process died, the wait ends with its lease. Without a repeat
 * header, the process must be seen to be gone.
 */
const maxHolderWaitMs = leaseMs + 2_000;
const askAgainMs = 250;

/** A create whose client waits for it, or has waited. */
export type FacadeCall<Request> = {
  id: string;
  /** The request as the first of the equal requests sent it. */
  request: Request;
  adopted: boolean;
  /** Records that the client has the answer. */
  delivered: () => Promise<void>;
  /** Records that the client disconnected. */
  lost: () => Promise<void>;
  /** Records that nothing was made and the client was informed: the next equal request starts again. */
  forgotten: () => Promise<void>;
  /**
   * Records that nothing was made and the client should ask again. If the client says that it repeats, it gets this
   * call and not another one's pictures.
   */
  refused: () => Promise<void>;
};

export type TakeOptions<Request> = {
  accountId: string;
  /** Facade and route. */
  route: string;
  /** What makes two requests equal: everything that was asked for, files by their hashes. */
  identity: object;
  request: Request;
  /** The client says that it repeats a request, and that request was not refused before it was read. */
  repeats: boolean;
};

export type FacadeCallsOptions = {
  database: Database;
  /** The presence of this process. Without its key, other processes do not wait for its leases. */
  presence: Pick<Presence, 'key'>;
  log: Logger;
};

/**
 * Gives a repeated create the generations of the first one (decision 0038): clients of other programs repeat requests
 * that got no answer and send no Idempotency-Key. A request with a living exchange is never joined, so equal parallel
 * requests stay separate. `service/sql/functions/hold_facade_call.sql` chooses the earlier request.
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
        // If this fails, the lease expires.
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
   * Returns whether the process of an equal call is gone. A client may be back before the database has ended the
   * session of a killed process. So a process that seems to live is checked a second time.
   */
  async #wasLost(call: { accountId: string; fingerprint: string; id: string }): Promise<boolean> {
    const first = await lookBeside(this.#database, call);
    if (first !== 'living') return first === 'gone';
    await sleep(askAgainMs);
    return (await lookBeside(this.#database, call)) === 'gone';
  }

  /** Returns whether the request that a key repeats may have been refused for its rate, before it was read. */
  wasOverRate(key: { keyId: string; limit: number }): Promise<boolean> {
    return wasOverRate(this.#database, key);
  }

  /** Returns whether no client waits for a call any more. */
  isAbandoned(id: string, forMs: number): Promise<boolean> {
    return isAbandoned(this.#database, id, forMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leases[Symbol.asyncDispose]();
  }
}
