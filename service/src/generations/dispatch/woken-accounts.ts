import { setTimeout as sleep } from 'node:timers/promises';
import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';

/** Free slots of an account after its last claim. */
type FreeSlots = Record<Lane | 'overall', number>;

/** The part that makes claims: the dispatcher. */
export type Claimer = {
  /** Returns whether another claim may begin now. If not, `resume` is called once one may begin. */
  hasRoom: () => boolean;
  claim: (accountIds: string[]) => Promise<void>;
  onPauseOver: (accountId: string) => void;
};

/** How many accounts share one statement, and how many such statements run at once. */
export const accountsPerClaim = 64;
const claimsInFlight = 2;
const maxPauseMs = 60_000;

/**
 * Gathers the accounts that were woken in one turn of the event loop into one claim. An account never has two claims at
 * once: if it is woken during its claim, it gets another claim afterwards. This object exists before the dispatcher,
 * which is its claimer, so that code that frees a slot or fills a queue can wake accounts. The claim decides the order
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

  /** Starts to claim for the accounts that were or will be woken. */
  start(claimer: Claimer): void {
    this.#claimer = claimer;
    this.#schedule();
  }

  /** Wakes an account for which a generation may start: a slot became free, or its limits or its queue changed. */
  wake(accountId: string): void {
    this.#freeSlots.delete(accountId);
    this.#add(accountId);
  }

  /** Wakes an account with a new queued generation. Does nothing if its lane was full at the last claim. */
  queued(accountId: string, lane: Lane): void {
    const free = this.#freeSlots.get(accountId);
    if (free === undefined || (free.overall > 0 && free[lane] > 0)) this.#add(accountId);
  }

  /** Continues with the woken accounts, because there may be room for another claim. */
  resume = (): void => {
    if (this.#woken.size > 0) this.#schedule();
  };

  /** Wakes the account after `ms` and then calls the claimer's `onPauseOver`. */
  wakeAfter(accountId: string, ms: number): void {
    if (this.#pausing.has(accountId) || this.#stopping.signal.aborted) return;
    this.#pausing.add(accountId);
    void this.#wakeAfter(accountId, Math.min(ms, maxPauseMs));
  }

  /**
   * Remembers an account's free slots: until it is woken or `forget` is called, a generation queued in a full lane
   * wakes nobody.
   */
  remember(accountId: string, free: FreeSlots): void {
    if (!this.#woken.has(accountId)) this.#freeSlots.set(accountId, free);
  }

  forget(): void {
    this.#freeSlots = new Map();
  }

  /** Resolves when no claim is in progress. */
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
      // The dispatcher's reconciliation retries within a second.
      .catch((error: unknown) => this.#log.warn({ err: error }, 'a claim failed'))
      .finally(() => {
        this.#claims.delete(work);
        for (const accountId of batch) this.#claiming.delete(accountId);
        this.#claimForWoken();
      });
    this.#claims.add(work);
  }
}
