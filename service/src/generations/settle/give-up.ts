import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { eachWithin } from '@renderkit/server-kit/work/within.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { waitedTooLong } from './failure-sentences.ts';
import type { Settlement } from './settlement.ts';
import { readTooOld } from './store.ts';
import { maxQueuedMs } from './time-limits.ts';

/** In one round. */
export const jobsAtOnce = 200;
/** Calls of one round under way at once; the studio may hang, and whoever else calls it needs connections too. */
const callsAtOnce = 8;
/** A round must end before it counts as stuck (30 s), whatever the studio does; a later one takes up what it left. */
const defaultRoundMs = 20_000;

export type GiveUpOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  settlement: Settlement;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
  /** For tests. Default 20,000. */
  roundMs?: number | undefined;
};

/** Gives up what waited too long. */
export function startGivingUp(options: GiveUpOptions): AsyncDisposable {
  const { log, onStuck, stuckAfterMs } = options;
  return startLoop({
    log,
    onStuck,
    stuckAfterMs,
    name: 'old generations',
    everyMs: 30_000,
    run: (stopping) => giveUpTooOld(options, stopping),
  });
}

/** One round: what was queued for over a day fails, once it is sure that the studio will never take it. */
export async function giveUpTooOld(options: GiveUpOptions, stopping?: AbortSignal): Promise<void> {
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

/** Tombstones the token for good; only then does the generation fail. If the studio knows it, it is adopted instead. */
export async function giveUp(
  { settlement, studioClient }: GiveUpOptions,
  { id, account_id: accountId }: { id: string; account_id: string },
  signal: AbortSignal,
): Promise<void> {
  const answer = await studioClient.call('tombstoneRender', { accountId, params: { token: id }, signal });
  if (answer.outcome === 'known') await settlement.apply([{ accountId, render: answer.render }]);
  else await settlement.failTombstoned([{ id, accountId }]);
}

/** Of a round over jobs: how many calls go at once, and how long it may take. */
export function roundOf({ roundMs }: GiveUpOptions, stopping: AbortSignal | undefined) {
  return { atOnce: callsAtOnce, withinMs: roundMs ?? defaultRoundMs, stopping };
}
