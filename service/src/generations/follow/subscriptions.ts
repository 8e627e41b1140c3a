import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Feed } from './feed.ts';
import { beginWatch, readWatches } from './store.ts';

export type SubscriptionsOptions = {
  database: Database;
  log: Logger;
  /** Names this process in watches. */
  owner: string;
  leaseMs: number;
  feed: Feed;
};

/**
 * Adds accounts to the feed that this process reads. A watch, which is a lease in the database, decides which process
 * reads an account's feed. `takeWatches` in `store.ts` takes the free watches.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  #asked = new Set<string>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Reads the feed of an account at once; this process must hold the account's watch. */
  subscribe(accountId: string): void {
    const { feed, log } = this.#options;
    if (feed.has(accountId) || this.#asked.has(accountId)) return;
    if (this.#asked.size === 0)
      setImmediate(() => {
        // The next round of the lease loop adds the accounts that are missed here.
        this.#addAsked().catch((error: unknown) => log.debug({ err: error }, 'watches could not be read'));
      });
    this.#asked.add(accountId);
  }

  /** Follows the feed of an account with work in progress at the studio, unless another process reads it. */
  follow(accountId: string): void {
    const { database, owner, leaseMs, log } = this.#options;
    beginWatch(database, { accountId, owner, leaseMs })
      .then((mine) => mine && this.subscribe(accountId))
      // The next round of the lease loop adds the account.
      .catch((error: unknown) => log.debug({ err: error }, 'a watch could not be begun'));
  }

  async #addAsked(): Promise<void> {
    const { database, owner, feed } = this.#options;
    const accountIds = [...this.#asked];
    this.#asked = new Set();
    feed.add(await readWatches(database, { owner, accountIds }));
  }
}
