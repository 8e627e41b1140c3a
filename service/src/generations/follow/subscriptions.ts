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

/** Adds accounts to the feed that this process reads. Whose feed it reads is a lease in the database, a watch. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  #asked = new Set<string>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** The account's watch is this process's: its feed is read at once. */
  subscribe(accountId: string): void {
    const { feed, log } = this.#options;
    if (feed.has(accountId) || this.#asked.has(accountId)) return;
    if (this.#asked.size === 0)
      setImmediate(() => {
        // The next round of the leases brings what is missed here.
        this.#addAsked().catch((error: unknown) => log.debug({ err: error }, 'watches could not be read'));
      });
    this.#asked.add(accountId);
  }

  /** Something of the account is under way at the studio: its feed is to be read, by this process unless another does. */
  follow(accountId: string): void {
    const { database, owner, leaseMs, log } = this.#options;
    beginWatch(database, { accountId, owner, leaseMs })
      .then((mine) => mine && this.subscribe(accountId))
      // As above.
      .catch((error: unknown) => log.debug({ err: error }, 'a watch could not be begun'));
  }

  async #addAsked(): Promise<void> {
    const { database, owner, feed } = this.#options;
    const accountIds = [...this.#asked];
    this.#asked = new Set();
    feed.add(await readWatches(database, { owner, accountIds }));
  }
}
