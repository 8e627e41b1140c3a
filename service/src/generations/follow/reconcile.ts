import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { eachWithin } from '@renderkit/server-kit/work/within.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { maxQueuedMs, maxRunningMs, waitedTooLong } from '../settle/failure.ts';
import type { Settlement } from '../settle/settlement.ts';
import type { AskRenders } from './ask-renders.ts';
import { readTooOld, takeSilent, type SilentRow } from './store.ts';

const silentMs = 60_000;
const jobsAtOnce = 200;
/** Calls of one round under way at once; the studio may hang, and whoever else calls it needs connections too. */
const callsAtOnce = 8;
/** A round must end before it counts as stuck (30 s), whatever the studio does; a later one takes up what it left. */
const defaultRoundMs = 20_000;

export type ReconcileOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  settlement: Settlement;
  askRenders: AskRenders;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
  /** For tests. Default 20,000. */
  roundMs?: number | undefined;
};

/** Asks about running jobs that the feed says nothing of, and gives up what waited or ran too long. */
export function startReconciling(options: ReconcileOptions): AsyncDisposable {
  const { log, onStuck, stuckAfterMs } = options;
  const common = { log, onStuck, stuckAfterMs };
  const silent = startLoop({
    ...common,
    name: 'unheard generations',
    everyMs: 5_000,
    run: (stopping) => askAboutSilent(options, stopping),
  });
  const old = startLoop({
    ...common,
    name: 'old generations',
    everyMs: 30_000,
    run: (stopping) => giveUpTooOld(options, stopping),
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all([silent[Symbol.asyncDispose](), old[Symbol.asyncDispose]()]);
    },
  };
}

/** One round: running jobs silent for a minute are asked for by token; past its deadline an unknown one is lost. */
export async function askAboutSilent(options: ReconcileOptions, stopping?: AbortSignal): Promise<void> {
  const jobs = await takeSilent(options.database, { silentMs, atMost: jobsAtOnce });
  const byAccount = Map.groupBy(jobs, (job) => job.account_id);
  await eachWithin(byAccount, roundOf(options, stopping), async ([accountId, mine], signal) => {
    try {
      const unknown = await options.askRenders(
        accountId,
        mine.map(({ id }) => id),
        signal,
      );
      for (const job of mine) if (unknown.has(job.id) && isOverdue(job)) await giveUp(options, job, signal);
    } catch (error) {
      options.log.info({ accountId, err: error }, 'the studio could not be asked about running generations');
    }
  });
}

/** One round: what was queued for over a day fails, once it is sure that the studio will never take it. */
export async function giveUpTooOld(options: ReconcileOptions, stopping?: AbortSignal): Promise<void> {
  const jobs = await readTooOld(options.database, { ageMs: maxQueuedMs, atMost: jobsAtOnce });
  // What needs no studio goes first: it must not wait for one that hangs.
  const inOrder = jobs.toSorted((a, b) => Number(b.untouched) - Number(a.untouched));
  await eachWithin(inOrder, roundOf(options, stopping), async (job, signal) => {
    try {
      if (!job.untouched) await giveUp(options, job, signal);
      else
        await options.settlement.fail({
          id: job.id,
          accountId: job.account_id,
          from: 'queued',
          untouched: true,
          error: waitedTooLong,
        });
    } catch (error) {
      options.log.info({ generationId: job.id, err: error }, 'an old generation could not be given up yet');
    }
  });
}

function roundOf({ roundMs }: ReconcileOptions, stopping: AbortSignal | undefined) {
  return { atOnce: callsAtOnce, withinMs: roundMs ?? defaultRoundMs, stopping };
}

function isOverdue({ kind, running_ms: runningMs }: SilentRow): boolean {
  return runningMs > maxRunningMs[kind];
}

/** Tombstones the token for good; only then does the generation fail. If the studio knows it, it is adopted instead. */
async function giveUp(
  { settlement, studioClient }: ReconcileOptions,
  { id, account_id: accountId }: { id: string; account_id: string },
  signal: AbortSignal,
): Promise<void> {
  const answer = await studioClient.call('barRender', { accountId, params: { token: id }, signal });
  if (answer.outcome === 'known') await settlement.apply([{ accountId, render: answer.render }]);
  else await settlement.failTombstoned([{ id, accountId }]);
}
