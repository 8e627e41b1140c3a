import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { eachWithin } from '@renderkit/server-kit/work/within.ts';
import { giveUp, type GiveUpOptions, jobsAtOnce, roundOf } from '../settle/give-up-queued.ts';
import { maxRunningMs } from '../settle/time-limits.ts';
import type { AskRenders } from './ask-renders.ts';
import { takeSilent, type SilentRow } from './store.ts';

const silentMs = 60_000;

export type ReconcileOptions = GiveUpOptions & { askRenders: AskRenders };

/** Asks about running jobs that the feed does not report, and gives up jobs that ran too long. */
export function startReconciling(options: ReconcileOptions): AsyncDisposable {
  const { log, onStuck, stuckAfterMs } = options;
  return startLoop({
    log,
    onStuck,
    stuckAfterMs,
    name: 'silent generations',
    everyMs: 5_000,
    run: (stopping) => askAboutSilent(options, stopping),
  });
}

/**
 * Runs one round: asks by token about running jobs without a report for a minute. Gives up a job past its deadline that
 * the studio does not know.
 */
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

function isOverdue({ kind, running_ms: runningMs }: SilentRow): boolean {
  return runningMs > maxRunningMs[kind];
}
