import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { writeAudit } from '../../identity/audit/write-audit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';
import { type CancelRequest, cancelUntouched } from '../cancel/cancel-generation.ts';
import type { GenerationRow } from '../present.ts';
import type { GenerationReader } from '../reads/read-generation.ts';
import type { Settlement } from '../settle/settlement.ts';
import { isFinal } from '../settle/status.ts';

export type StopDependencies = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  settlement: Settlement;
  reader: GenerationReader;
};

/** Retries while a generation is being handed to the studio, which usually takes a few milliseconds. */
const handOver = { tries: 25, pauseMs: 200 };

/**
 * Stops a generation (docs/api.md §3). A waiting one is canceled; a running one ends with the outputs made so far.
 * Returns the generation in its current state; the studio reports its end as usual. The studio decides about the money,
 * in one transaction. A second stop has the same result as the first. The rules are in
 * `studio/sql/functions/stop_render.sql` and `refund_failed_or_stopped.sql` beside it.
 * @throws ApiProblem `not_found`; `conflict` where the generation finished by itself or cannot be stopped
 */
export async function stopGeneration(
  dependencies: StopDependencies,
  asked: CancelRequest,
): Promise<GenerationRow> {
  const { reader } = dependencies;
  for (let tries = 1; ; tries++) {
    const row = await reader.read(asked);
    if (isFinal(row.status)) return stoppedBefore(dependencies, asked, row);
    if (row.status === 'queued') {
      const canceled = await cancelUntouched(dependencies, asked);
      if (canceled !== undefined) return reader.read(asked);
    }
    const answer = await askStudio(dependencies, asked);
    if (answer !== undefined) return conclude(dependencies, asked, answer);
    if (row.status === 'running')
      throw new ApiProblem('conflict', { detail: 'The studio cannot stop what it renders.' });
    if (tries === handOver.tries)
      throw new ApiProblem('conflict', {
        detail: 'The generation is being handed to the studio: ask again in a moment.',
      });
    await sleep(handOver.pauseMs);
  }
}

/**
 * Returns a generation that a stop ended or canceled, so that a second stop answers like the first.
 * @throws ApiProblem `conflict`
 */
async function stoppedBefore(
  dependencies: StopDependencies,
  asked: CancelRequest,
  row: GenerationRow,
): Promise<GenerationRow> {
  if (row.status === 'canceled' || row.error_code === 'stopped') return row;
  // Outputs may also be missing for other reasons; the studio knows whether it was stopped.
  if (row.error_code === 'partial_failure') {
    const answer = await askStudio(dependencies, asked);
    if (answer?.was_ended === false) return row;
  }
  throw finished(row);
}

/** Asks the studio to stop a render. Returns undefined where the studio does not have it, or cannot stop renders. */
async function askStudio(
  { studioClient }: StopDependencies,
  { id, accountId }: { id: string; accountId: string },
): Promise<StudioAnswer<'stopRender'> | undefined> {
  try {
    return await studioClient.call('stopRender', { accountId, params: { token: id } });
  } catch (error) {
    if (error instanceof StudioFailure && error.studioCode === 'not_found') return undefined;
    throw error;
  }
}

async function conclude(
  { database, settlement, reader }: StopDependencies,
  asked: CancelRequest,
  { outcome, was_ended: wasEnded, render }: StudioAnswer<'stopRender'>,
): Promise<GenerationRow> {
  if (outcome === 'too_late')
    throw new ApiProblem('conflict', {
      detail: 'The engine cannot stop what it has begun: the generation goes on to its end.',
    });
  if (outcome === 'ended') await settlement.apply([{ accountId: asked.accountId, render }]);
  const row = await reader.read(asked);
  if (wasEnded) throw finished(row);
  // The studio stops the render in a separate transaction. A client whose answer was lost asks again and is then
  // recorded.
  const { id, accountId, actor } = asked;
  if (actor !== undefined)
    await writeAudit(database, actor, {
      accountId,
      action: 'generation.stopped',
      subjectId: id,
      details: { kind: row.kind, model: row.model },
    });
  return row;
}

function finished({ status }: GenerationRow): ApiProblem {
  return new ApiProblem('conflict', { detail: `The generation has finished: it has ${endings[status]}.` });
}

const endings: Record<GenerationRow['status'], string> = {
  queued: 'ended',
  running: 'ended',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'been canceled',
};
