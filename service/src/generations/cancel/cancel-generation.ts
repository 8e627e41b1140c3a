import type { Actor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { CrashPoint } from '../crash-point.ts';
import type { GenerationRow } from '../present.ts';
import type { ReadGeneration } from '../reads/read-generation.ts';
import type { Settlement } from '../settle/settlement.ts';
import type { Moved } from '../settle/transition-store.ts';

export type CancelGeneration = (asked: {
  id: string;
  accountId: string;
  /** A person, whose acts are written down; left out for an API key. */
  actor?: Actor | undefined;
}) => Promise<GenerationRow>;

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
    const moved = await moveOf(options, asked);
    if (moved !== undefined) await options.crashPoint?.('cancel-committed');
    const row = await options.readGeneration(asked);
    if (moved === undefined) throw new ApiProblem('conflict', { detail: whyNot(row) });
    return row;
  };
}

async function moveOf(
  { settlement, readGeneration }: { settlement: Settlement; readGeneration: ReadGeneration },
  { id, accountId, actor }: Parameters<CancelGeneration>[0],
): Promise<Moved | undefined> {
  const move = { id, accountId, from: 'queued', to: 'canceled', untouched: true } as const;
  if (actor === undefined) return settlement.move(move);
  const { kind, model } = await readGeneration({ id, accountId });
  return settlement.moveWith(move, (transaction) =>
    writeAudit(transaction, actor, {
      accountId,
      action: 'generation.canceled',
      subjectId: id,
      details: { kind, model },
    }),
  );
}

function whyNot({ status }: GenerationRow): string {
  if (status === 'canceled') return 'The generation is canceled already.';
  if (status === 'queued' || status === 'running')
    return `The generation (${status}) was sent to the studio and can no longer be canceled.`;
  return `The generation has finished: it has ${status}.`;
}
