import { ApiProblem } from '../problems/api-problem.ts';
import type { CrashPoint } from './crash-point.ts';
import type { GenerationRow } from './present.ts';
import type { ReadGeneration } from './reads/read-generation.ts';
import type { Settlement } from './settle/settlement.ts';

export type CancelGeneration = (asked: { id: string; accountId: string }) => Promise<GenerationRow>;

/**
 * Makes the verb that takes a generation out of the queue: only while nothing of it was sent to the studio.
 * @throws ApiProblem `not_found`, or `conflict` for the loser of the race with dispatch and whoever comes later
 */
export function createCancelGeneration(options: {
  settlement: Settlement;
  readGeneration: ReadGeneration;
  crashPoint?: CrashPoint | undefined;
}): CancelGeneration {
  return async (asked) => {
    await options.crashPoint?.('cancel-asked');
    const moved = await options.settlement.move({
      ...asked,
      from: 'queued',
      to: 'canceled',
      untouched: true,
    });
    if (moved !== undefined) await options.crashPoint?.('cancel-committed');
    const row = await options.readGeneration(asked);
    if (moved === undefined) throw new ApiProblem('conflict', { detail: whyNot(row) });
    return row;
  };
}

function whyNot({ status }: GenerationRow): string {
  if (status === 'canceled') return 'The generation is canceled already.';
  if (status === 'queued' || status === 'running')
    return 'The generation was sent to the studio and can no longer be canceled.';
  return 'The generation has finished.';
}
