import { type Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { type AskUploads, type SettleUploads } from '../../uploads/ask-uploads.ts';
import { readUploadsInProcessing } from '../../uploads/read-in-processing.ts';
import type { Settlement } from '../settle/settlement.ts';
import { createApplyChanges } from './apply-changes.ts';
import type { AskRenders } from './ask-renders.ts';
import { startFeed } from './feed.ts';
import {
  beginWatch,
  ensureWatches,
  readInFlight,
  readOwnWatches,
  readWatches,
  releaseWatches,
  takeWatches,
} from './store.ts';

export type Watcher = AsyncDisposable & {
  /** The account's watch is this process's: its feed is read at once. */
  watch: (accountId: string) => void;
  /** Something of the account is under way at the studio: somebody is to follow its feed, this process unless another does. */
  follow: (accountId: string) => void;
};

export type WatcherOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call' | 'readRender' | 'readUpload'>;
  settlement: Settlement;
  settleUploads: SettleUploads;
  askRenders: AskRenders;
  askUploads: AskUploads;
  log: Logger;
  /** Names this process in watches. */
  owner: string;
  leaseMs: number;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

const watchesAtMost = 20_000;

/** Follows the feeds of the accounts whose watch this process holds. Which those are is a lease in the database. */
export function startWatcher(options: WatcherOptions): Watcher {
  const { database, log, owner, settlement, studioClient } = options;
  const feed = startFeed({
    studioClient,
    log,
    apply: createApplyChanges(options),
    reconcile: async (accountId, cursor) => {
      await options.askRenders(accountId, await readInFlight(database, accountId));
      await options.askUploads(accountId, await readUploadsInProcessing(database, accountId));
      await settlement.apply([], [{ accountId, cursor }]);
    },
    // The client finds out for itself, and writes it down if its session can truly not be renewed.
    ended: async (accountId) => {
      await studioClient
        .call('getLimits', { accountId })
        .catch((error: unknown) =>
          log.info({ accountId, err: error }, 'the session at the studio has ended'),
        );
    },
  });
  const leases = startLoop({
    name: 'watch leases',
    everyMs: options.leaseMs / 3,
    log,
    onStuck: options.onStuck,
    stuckAfterMs: options.stuckAfterMs,
    run: async () => {
      await ensureWatches(database);
      await takeWatches(database, { owner, leaseMs: options.leaseMs, atMost: watchesAtMost });
      const asOf = performance.now();
      const held = await readOwnWatches(database, owner);
      feed.keepOnly(new Set(held.map((row) => row.account_id)), asOf);
      feed.add(held);
    },
  });
  let asked = new Set<string>();
  const addAsked = async () => {
    const accountIds = [...asked];
    asked = new Set();
    feed.add(await readWatches(database, { owner, accountIds }));
  };

  const watch = (accountId: string) => {
    if (feed.has(accountId) || asked.has(accountId)) return;
    if (asked.size === 0)
      setImmediate(() => {
        // The next round of the leases brings what is missed here.
        addAsked().catch((error: unknown) => log.debug({ err: error }, 'watches could not be read'));
      });
    asked.add(accountId);
  };

  return {
    watch,
    follow: (accountId) => {
      beginWatch(database, { accountId, owner, leaseMs: options.leaseMs })
        .then((mine) => mine && watch(accountId))
        // As above.
        .catch((error: unknown) => log.debug({ err: error }, 'a watch could not be begun'));
    },
    [Symbol.asyncDispose]: async () => {
      await leases[Symbol.asyncDispose]();
      await feed[Symbol.asyncDispose]();
      await releaseWatches(database, owner).catch(() => undefined);
    },
  };
}
