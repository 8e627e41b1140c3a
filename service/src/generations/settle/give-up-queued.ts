import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { eachWithin } from '@renderkit/server-kit/work/within.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { waitedTooLong } from './failure-sentences.ts';
import type { Settlement } from './settlement.ts';
import { readTooOld } from './store.ts';
import { maxQueuedMs } from './time-limits.ts';

/** How many jobs one round handles. */
export const jobsAtOnce = 200;
/** How many calls a round makes at once. The studio may hang, and other callers need connections too. */
const callsAtOnce = 8;
/**
 * A round must end before it counts as stuck (30 s), even if the studio hangs. A later round continues with the rest.
 */
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

/**
 * Gives up generations that waited too long. `service/src/generations/follow/reconcile.ts` gives up those that run for
 * too long.
 */
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

/**
 * Runs one round: fails generations queued for over a day, once it is certain that the studio will never accept them.
 */
export async function giveUpTooOld(options: GiveUpOptions, stopping?: AbortSignal): Promise<void> {
  const jobs = await readTooOld(options.database, { ageMs: maxQueuedMs, atMost: jobsAtOnce });
  // Jobs that need no studio call come first, so that they do not wait for a studio that hangs.
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

/**
 * Tombstones the token permanently; only then does the generation fail. If the studio has a render, applies that
 * instead.
 */
export async function giveUp(
  { settlement, studioClient }: GiveUpOptions,
  { id, account_id: accountId }: { id: string; account_id: string },
  signal: AbortSignal,
): Promise<void> {
  const answer = await studioClient.call('tombstoneRender', { accountId, params: { token: id }, signal });
  if (answer.outcome === 'known') await settlement.apply([{ accountId, render: answer.render }]);
  else await settlement.failTombstoned([{ id, accountId }]);
}

/** Returns how many calls a round makes at once, and how long the round may take. */
export function roundOf({ roundMs }: GiveUpOptions, stopping: AbortSignal | undefined) {
  return { atOnce: callsAtOnce, withinMs: roundMs ?? defaultRoundMs, stopping };
}
