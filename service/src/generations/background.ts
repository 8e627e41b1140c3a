import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { QuotingDependencies } from '../quotes/validate-and-quote.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { translated } from '../studio-client/translate-error.ts';
import type { TestHooks } from '../test-hooks.ts';
import type { Uploads } from '../uploads/start-uploads.ts';
import type { SettleUploads } from '../uploads/record-outcomes.ts';
import { GenerationCreator } from './create/create-generation.ts';
import { startDispatcher } from './dispatch/dispatcher.ts';
import { createLimitsReader } from './dispatch/limits-reader.ts';
import { createResubmit } from './dispatch/resubmit.ts';
import type { AccountStreams } from './events/account-streams.ts';
import { type AskRenders, createAskRenders } from './follow/ask-renders.ts';
import { startFollowing } from './follow/follow-feeds.ts';
import { startReconciling } from './follow/reconcile.ts';
import type { LiveGenerations } from './live/live-generations.ts';
import { GenerationReader } from './reads/read-generation.ts';
import type { GenerationUseCases } from './routes.ts';
import { startGivingUp } from './settle/give-up-queued.ts';
import { Settlement } from './settle/settlement.ts';
import { readUnconfirmed } from './settle/store.ts';
import type { Signals } from './signals.ts';

export type GenerationsOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call' | 'readRender' | 'readUpload'>;
  quoting: QuotingDependencies;
  /** How many generations of one account may wait. */
  queueCap: number;
  signals: Signals;
  /** Ends uploads, and lets generations that waited for them go on or fail. */
  settleUploads: SettleUploads;
  /** Woken when accepted creates name addresses of files. */
  uploads: Pick<Uploads, 'wakeImports'>;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  testHooks?: TestHooks | undefined;
};

export type Generations = AsyncDisposable &
  GenerationUseCases & { accountStreams: AccountStreams; live: LiveGenerations; settlement: Settlement };

/** Starts the background work that brings queued generations to their end. Returns the use cases that clients need. */
export function startGenerations(options: GenerationsOptions): Generations {
  const { database, signals, uploads } = options;
  const { crashPoint, reconcileMs, retryMs, stuckAfterMs } = options.testHooks ?? {};
  const { owner, leaseMs, wokenAccounts, announcer, longPolls, accountStreams, live } = signals;
  const shared = { ...options, ...signals, crashPoint, stuckAfterMs };
  const settlement = new Settlement({ database, owner, leaseMs, announcer, crashPoint });
  const askRenders = createAskRenders({ studioClient: options.studioClient, settlement });
  const dispatcher = startDispatcher({
    ...shared,
    reconcileMs,
    limits: createLimitsReader(shared),
    submit: createResubmit({ ...shared, settlement, retryMs }),
  });
  const following = startFollowing({ ...shared, settlement, askRenders });
  const reconciling = startReconciling({ ...shared, settlement, askRenders });
  const givingUp = startGivingUp({ ...shared, settlement });
  const reader = new GenerationReader(database);
  return {
    creator: new GenerationCreator({
      database,
      queueCap: options.queueCap,
      quoting: options.quoting,
      resolveUnconfirmed: (accountId) => resolveUnconfirmed(database, askRenders, accountId),
      wokenAccounts,
      announcer,
      uploads,
      crashPoint,
      log: options.log,
    }),
    reader,
    canceling: { settlement, reader, crashPoint },
    stopping: { database, studioClient: options.studioClient, settlement, reader },
    longPolls,
    accountStreams,
    live,
    settlement,
    [Symbol.asyncDispose]: async () => {
      await longPolls[Symbol.asyncDispose]();
      await Promise.all([dispatcher, reconciling, givingUp].map((one) => one[Symbol.asyncDispose]()));
      await following[Symbol.asyncDispose]();
    },
  };
}

/** Asks the studio about submits whose charge is unknown, because such a charge may count twice. @throws ApiProblem */
async function resolveUnconfirmed(
  database: Database,
  askRenders: AskRenders,
  accountId: string,
): Promise<void> {
  const tokens = await readUnconfirmed(database, accountId);
  if (tokens.length > 0) await translated(askRenders(accountId, tokens));
}
