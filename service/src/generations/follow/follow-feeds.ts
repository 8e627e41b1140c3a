import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { readUploadsInProcessing } from '../../uploads/queries.ts';
import { askUploads } from '../../uploads/reconcile.ts';
import type { SettleUploads } from '../../uploads/record-outcomes.ts';
import type { Settlement } from '../settle/settlement.ts';
import { createApplyChanges } from './apply-changes.ts';
import type { AskRenders } from './ask-renders.ts';
import type { Feed } from './feed.ts';
import { ensureWatches, readInFlight, readOwnWatches, releaseWatches, takeWatches } from './store.ts';

export type FollowOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call' | 'readRender' | 'readUpload'>;
  feed: Feed;
  settlement: Settlement;
  settleUploads: SettleUploads;
  askRenders: AskRenders;
  log: Logger;
  /** Names this process in watches. */
  owner: string;
  leaseMs: number;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

const maxWatches = 20_000;

/** Reads the feeds of the accounts whose watch this process holds, and applies what the studio reports in them. */
export function startFollowing(options: FollowOptions): AsyncDisposable {
  const { database, log, owner, settlement, studioClient, feed } = options;
  const uploads = { studioClient, settle: options.settleUploads };
  feed.start({
    apply: createApplyChanges(options),
    reconcile: async (accountId, cursor) => {
      await options.askRenders(accountId, await readInFlight(database, accountId));
      await askUploads(uploads, accountId, await readUploadsInProcessing(database, accountId));
      await settlement.apply([], [{ accountId, cursor }]);
    },
    // `studioClient` checks the session itself, and records if it cannot be renewed.
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
      await takeWatches(database, { owner, leaseMs: options.leaseMs, atMost: maxWatches });
      const asOf = performance.now();
      const held = await readOwnWatches(database, owner);
      feed.keepOnly(new Set(held.map((row) => row.account_id)), asOf);
      feed.add(held);
    },
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await leases[Symbol.asyncDispose]();
      await feed[Symbol.asyncDispose]();
      await releaseWatches(database, owner).catch(() => undefined);
    },
  };
}
