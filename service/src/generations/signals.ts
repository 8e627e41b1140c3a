import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createNotifier, listen } from '@renderkit/server-kit/db/notify.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { KeyStreams } from '../identity/keys/key-streams.ts';
import { revokedKeysChannel } from '../identity/keys/revoke-key.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import type { TestHooks } from '../test-hooks.ts';
import type { Deliveries } from '../webhooks/deliveries/start-deliveries.ts';
import { WokenAccounts } from './dispatch/woken-accounts.ts';
import { AccountStreams, accountEventsChannel } from './events/account-streams.ts';
import { Feed } from './follow/feed.ts';
import { Subscriptions } from './follow/subscriptions.ts';
import { LiveGenerations } from './live/live-generations.ts';
import { LongPolls } from './live/long-polls.ts';
import { TransitionAnnouncer } from './settle/announce-transitions.ts';

/** Carries ids of generations that reached their last status, for the long polls of other processes. */
export const settledChannel = 'generations_settled';

/** Carries ids of generations that changed status and have not ended, for the streams of other processes. */
export const movedChannel = 'generations_moved';

/** Milliseconds for which accounts are gathered into one notification. Readers of a stream do not notice this delay. */
const eventNotificationMs = 20;
const defaultLeaseMs = 10_000;

/**
 * The signals by which parts of a process wake each other: a finished job frees a slot, a job that starts needs its
 * account's feed, and waiting clients get an answer. The signals are made before those parts and are passed to each.
 */
export type Signals = AsyncDisposable & {
  /** Names this process in leases and watches. */
  owner: string;
  leaseMs: number;
  longPolls: LongPolls;
  accountStreams: AccountStreams;
  live: LiveGenerations;
  wokenAccounts: WokenAccounts;
  feed: Feed;
  subscriptions: Subscriptions;
  announcer: TransitionAnnouncer;
};

export function startSignals(options: {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  deliveries: Pick<Deliveries, 'announce'>;
  /** Is informed of keys that were revoked. */
  keyStreams: KeyStreams;
  log: Logger;
  testHooks?: TestHooks | undefined;
}): Signals {
  const { database, keyStreams, log, testHooks = {} } = options;
  const owner = newId('svc_');
  const leaseMs = testHooks.leaseMs ?? defaultLeaseMs;
  const longPolls = new LongPolls({ database, log, max: testHooks.maxLongPolls });
  const accountStreams = new AccountStreams({ database, log });
  const live = new LiveGenerations({
    database,
    studioClient: options.studioClient,
    log,
    floorMs: testHooks.liveFloorMs,
  });
  const wokenAccounts = new WokenAccounts(log);
  const feed = new Feed(options);
  const subscriptions = new Subscriptions({ database, log, owner, leaseMs, feed });
  const notifier = createNotifier({ database, channel: settledChannel, log });
  const movedNotifier = createNotifier({ database, channel: movedChannel, log });
  const eventNotifier = createNotifier({
    database,
    channel: accountEventsChannel,
    log,
    delayMs: eventNotificationMs,
  });
  const announcer = new TransitionAnnouncer({
    longPolls,
    live,
    notifier,
    movedNotifier,
    eventNotifier,
    wokenAccounts,
    subscriptions,
    deliveries: options.deliveries,
  });
  const listeners = listenToOthers(options, { longPolls, accountStreams, live, keyStreams });
  return {
    owner,
    leaseMs,
    longPolls,
    accountStreams,
    live,
    wokenAccounts,
    feed,
    subscriptions,
    announcer,
    [Symbol.asyncDispose]: async () => {
      const notifiers = [notifier, movedNotifier, eventNotifier];
      await Promise.all(notifiers.map((one) => one[Symbol.asyncDispose]()));
      await listeners[Symbol.asyncDispose]();
      await accountStreams[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
    },
  };
}

/** Wakes waiting parts of this process when other processes change something. */
function listenToOthers(
  { database, log }: { database: Database; log: Logger },
  {
    longPolls,
    accountStreams,
    live,
    keyStreams,
  }: Pick<Signals, 'longPolls' | 'accountStreams' | 'live'> & { keyStreams: KeyStreams },
): AsyncDisposable {
  const onConnect = () => {
    for (const one of [longPolls, accountStreams, live, keyStreams]) one.lookNow();
  };
  const onSettled = (ids: string[]) => {
    longPolls.wake(ids);
    live.wake(ids);
  };
  const onRevoked = (ids: string[]) => {
    longPolls.revoke(ids);
    keyStreams.revoke(ids);
  };
  return listen({
    url: database.url,
    log,
    onConnect,
    channels: {
      [settledChannel]: onSettled,
      [movedChannel]: (ids) => live.wake(ids),
      [accountEventsChannel]: (ids) => accountStreams.wake(ids),
      [revokedKeysChannel]: onRevoked,
    },
  });
}
