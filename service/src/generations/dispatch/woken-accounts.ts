import { setTimeout as sleep } from 'node:timers/promises';
import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';

/** Slots that were left for an account when it was last claimed for. */
type FreeSlots = Record<Lane | 'overall', number>;

/** Who claims. */
export type Claimer = {
  /** Whether another claim may begin now; where not, `resume` is called when it may. */
  hasRoom: () => boolean;
  claim: (accountIds: string[]) => Promise<void>;
  onPauseOver: (accountId: string) => void;
};

/** Accounts claimed for in one statement, and such statements at once. */
export const accountsPerClaim = 64;
const claimsInFlight = 2;
const maxPauseMs = 60_000;

/**
 * Gathers the accounts that were woken in one turn of the event loop into one claim. No account is claimed for twice
 * at once: one that is woken during its claim is claimed for again after it. Made before the dispatcher, which is its
 * claimer, so that whoever frees a slot or fills a queue can wake it. What goes first is decided by the claim
 * (sql/functions/claim_generations_up_to.sql).
 */
export class WokenAccounts {
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #woken = new Set<string>();
  readonly #claiming = new Set<string>();
  readonly #claims = new Set<Promise<void>>();
  readonly #pausing = new Set<string>();
  #freeSlots = new Map<string, FreeSlots>();
  #claimer: Claimer | undefined;
  #scheduled = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Begins to claim for what was woken and will be. */
  start(claimer: Claimer): void {
    this.#claimer = claimer;
    this.#schedule();
  }

  /** Something may start for the account: a slot came free, its limits or its queue changed. */
  wake(accountId: string): void {
    this.#freeSlots.delete(accountId);
    this.#add(accountId);
  }

  /** A generation was queued; ignored where its lane was just seen to be full. */
  queued(accountId: string, lane: Lane): void {
    const free = this.#freeSlots.get(accountId);
    if (free === undefined || (free.overall > 0 && free[lane] > 0)) this.#add(accountId);
  }

  /** There may be room for another claim: goes on with those that were woken meanwhile. */
  resume = (): void => {
    if (this.#woken.size > 0) this.#schedule();
  };

  /** The account pauses for `ms`: when that is over it is claimed for, and the claimer's `onPauseOver` called. */
  wakeAfter(accountId: string, ms: number): void {
    if (this.#pausing.has(accountId) || this.#stopping.signal.aborted) return;
    this.#pausing.add(accountId);
    void this.#wakeAfter(accountId, Math.min(ms, maxPauseMs));
  }

  /** Until the account is woken, or `forget`, what is queued in a lane without free slots wakes nobody. */
  remember(accountId: string, free: FreeSlots): void {
    if (!this.#woken.has(accountId)) this.#freeSlots.set(accountId, free);
  }

  forget(): void {
    this.#freeSlots = new Map();
  }

  /** Settles when no claim is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#claims);
  }

  async #wakeAfter(accountId: string, ms: number): Promise<void> {
    const over = await sleep(ms, true, { signal: this.#stopping.signal }).catch(() => false);
    this.#pausing.delete(accountId);
    if (!over) return;
    this.wake(accountId);
    this.#claimer?.onPauseOver(accountId);
  }

  #add(accountId: string): void {
    this.#woken.add(accountId);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#claims.size >= claimsInFlight || this.#claimer === undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#claimForWoken();
    });
  }

  #claimForWoken(): void {
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      if (this.#stopping.signal.aborted || this.#claims.size >= claimsInFlight) return;
      if (this.#claimer?.hasRoom() !== true) return;
      this.#claimFor(batch);
    }
  }

  #nextBatch(): string[] {
    const batch: string[] = [];
    for (const accountId of this.#woken) {
      if (batch.length === accountsPerClaim) break;
      if (!this.#claiming.has(accountId)) batch.push(accountId);
    }
    return batch;
  }

  #claimFor(batch: string[]): void {
    for (const accountId of batch) {
      this.#woken.delete(accountId);
      this.#claiming.add(accountId);
    }
    const work = (this.#claimer as Claimer)
      .claim(batch)
      // The dispatcher's own look comes by within a second.
      .catch((error: unknown) => this.#log.warn({ err: error }, 'a claim failed'))
      .finally(() => {
        this.#claims.delete(work);
        for (const accountId of batch) this.#claiming.delete(accountId);
        this.#claimForWoken();
      });
    this.#claims.add(work);
  }
}
