import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createNotifier, listen } from '@renderkit/server-kit/db/notify.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { revokedKeysChannel } from '../keys/revoke-key.ts';
import type { QuotingDependencies } from '../quotes/validate-and-quote.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { translated } from '../studio-client/translate-error.ts';
import { createAskUploads, type SettleUploads } from '../uploads/ask-uploads.ts';
import type { UploadCrashPoint } from '../uploads/crash-point.ts';
import { createCancelGeneration } from './cancel/cancel-generation.ts';
import { type CancelQueuedOfKey, createCancelQueuedOfKey } from './cancel/cancel-queued.ts';
import type { CrashPoint } from './crash-point.ts';
import { GenerationCreator } from './create/create-generation.ts';
import { defaultLeaseMs, startDispatcher } from './dispatch/dispatcher.ts';
import { createLimitsReader } from './dispatch/limits-reader.ts';
import { createSubmit } from './dispatch/submit.ts';
import { createAskRenders, type AskRenders } from './follow/ask-renders.ts';
import { startWatcher } from './follow/follow-feeds.ts';
import { startSweeps } from './follow/reconcile.ts';
import { type LongPolls, startLongPolls } from './live/long-polls.ts';
import { createReadGeneration } from './reads/read-generation.ts';
import type { GenerationVerbs } from './routes.ts';
import { createSettleUploads } from './settle/settle-uploads.ts';
import { createSettlement, type Settlement } from './settle/settlement.ts';
import { isFinal } from './settle/status.ts';
import type { Moved } from './settle/transition-store.ts';

/** Ids of generations that reached their last status are announced here, for the long polls of other processes. */
export const settledChannel = 'generations_settled';

export type GenerationsOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call' | 'readRender' | 'readUpload'>;
  quoting: QuotingDependencies;
  /** Waiting generations of one account at most. */
  queueCap: number;
  /** Told of accounts whose events are to be delivered, once they are committed. */
  announceDeliveries: (accountIds: readonly string[]) => void;
  /** Told when creates were accepted that name addresses. */
  onImports: () => void;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  /** For tests: where the process may die, and shorter times. */
  crashPoint?: (CrashPoint & UploadCrashPoint) | undefined;
  leaseMs?: number | undefined;
  sweepMs?: number | undefined;
  retryMs?: number | undefined;
  stuckAfterMs?: number | undefined;
  mostLongPolls?: number | undefined;
};

export type Generations = AsyncDisposable &
  GenerationVerbs & {
    /** Answers every open long poll with the state as it is; do this before the server closes. */
    endLongPolls: () => Promise<void>;
    cancelQueuedOfKey: CancelQueuedOfKey;
    /** Ends uploads, and with them the waiting of generations. */
    settleUploads: SettleUploads;
    /** Something of the account is under way at the studio: its feed is followed from now on. */
    follow: (accountId: string) => void;
  };

/** Starts what brings generations from the queue to their end, and gives the verbs that clients have of them. */
export function startGenerations(options: GenerationsOptions): Generations {
  const { database, log, crashPoint } = options;
  const longPolls = startLongPolls({ database, log, most: options.mostLongPolls });
  const listeners = startListeners(database.url, longPolls, log);
  const { settlement, dispatcher, askRenders, settleUploads, follow, stop } = startLoops(options, longPolls);
  const readGeneration = createReadGeneration(database);
  return {
    creator: new GenerationCreator({
      database,
      queueCap: options.queueCap,
      quoting: options.quoting,
      resolveUnconfirmed: (accountId) => resolveUnconfirmed(settlement, askRenders, accountId),
      onAccepted: dispatcher.queued,
      onImports: options.onImports,
      crashPoint,
    }),
    readGeneration,
    cancelGeneration: createCancelGeneration({ settlement, readGeneration, crashPoint }),
    cancelQueuedOfKey: createCancelQueuedOfKey({ database, settlement }),
    longPolls,
    settleUploads,
    follow,
    endLongPolls: async () => longPolls[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: async () => {
      await longPolls[Symbol.asyncDispose]();
      await stop();
      await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
    },
  };
}

/** Dispatcher, watcher and sweeps, and the settlement that they all record through. */
function startLoops(options: GenerationsOptions, longPolls: LongPolls) {
  const { database, log, studioClient, crashPoint } = options;
  const owner = newId('svc_');
  const leaseMs = options.leaseMs ?? defaultLeaseMs;
  const shared = {
    database,
    studioClient,
    log,
    crashPoint,
    owner,
    leaseMs,
    onStuck: options.onStuck,
    stuckAfterMs: options.stuckAfterMs,
  };
  const notifier = createNotifier({ database, channel: settledChannel, log });

  // They call each other in a circle: a settled job frees a place, a job that starts is watched.
  const onMoved = (moved: readonly Moved[]) => {
    const settled = moved.filter(({ to_status: status }) => isFinal(status));
    longPolls.wake(
      settled.map(({ id }) => id),
      settled.map(({ text }) => text),
    );
    for (const { id, account_id: accountId } of settled) {
      notifier.announce(id);
      dispatcher.wake(accountId);
    }
    for (const { watching, account_id: accountId } of moved) if (watching) watcher.watch(accountId);
    options.announceDeliveries(moved.flatMap((one) => (one.deliveries > 0 ? [one.account_id] : [])));
  };
  const settlement = createSettlement({
    database,
    watcher: owner,
    watchLeaseMs: leaseMs,
    onMoved,
    crashPoint,
  });
  const dispatcher = startDispatcher({
    ...shared,
    sweepMs: options.sweepMs,
    limits: createLimitsReader({ ...shared, onRead: (accountId) => dispatcher.wake(accountId) }),
    submit: createSubmit({
      ...shared,
      settlement,
      retryMs: options.retryMs,
      onReleased: (accountId, waitMs) => dispatcher.wakeAfter(accountId, waitMs),
    }),
  });
  const askRenders = createAskRenders({ studioClient, settlement });
  const settleUploads = createSettleUploads({
    database,
    onMoved,
    onUnblocked: (accountId) => dispatcher.wake(accountId),
    announceDeliveries: options.announceDeliveries,
    crashPoint,
  });
  const askUploads = createAskUploads({ studioClient, settle: settleUploads });
  const watcher = startWatcher({ ...shared, settlement, settleUploads, askRenders, askUploads });
  const sweeps = startSweeps({ ...shared, settlement, askRenders });
  return {
    settlement,
    dispatcher,
    askRenders,
    settleUploads,
    follow: watcher.follow,
    stop: async () => {
      await Promise.all([dispatcher[Symbol.asyncDispose](), sweeps[Symbol.asyncDispose]()]);
      await watcher[Symbol.asyncDispose]();
      await notifier[Symbol.asyncDispose]();
    },
  };
}

/** Submits whose charge is not known may count twice: the studio says what became of them. @throws ApiProblem */
async function resolveUnconfirmed(
  settlement: Settlement,
  askRenders: AskRenders,
  accountId: string,
): Promise<void> {
  const tokens = await settlement.doubtful(accountId);
  if (tokens.length > 0) await translated(askRenders(accountId, tokens));
}

function startListeners(url: string, longPolls: LongPolls, log: Logger): AsyncDisposable[] {
  const onConnect = () => longPolls.lookNow();
  return [
    listen({ url, channel: settledChannel, log, onIds: (ids) => longPolls.wake(ids), onConnect }),
    listen({ url, channel: revokedKeysChannel, log, onIds: longPolls.revoke, onConnect }),
  ];
}
