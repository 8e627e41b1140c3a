import type { Actor } from '../../identity/audit/actor.ts';
import { writeAudit } from '../../identity/audit/write-audit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { CrashPoint } from '../../test-hooks.ts';
import type { GenerationRow } from '../present.ts';
import type { GenerationReader } from '../reads/read-generation.ts';
import type { Settlement } from '../settle/settlement.ts';
import type { Transitioned } from '../settle/transition-store.ts';

export type CancelDependencies = {
  settlement: Settlement;
  reader: GenerationReader;
  crashPoint?: CrashPoint | undefined;
};

export type CancelRequest = {
  id: string;
  accountId: string;
  /** A person, whose acts are written down; left out for an API key. */
  actor?: Actor | undefined;
};

/**
 * Takes a generation out of the queue: only while nothing of it was sent to the studio.
 * @throws ApiProblem `not_found`, or `conflict` for the loser of the race with dispatch and whoever comes later
 */
export async function cancelGeneration(
  dependencies: CancelDependencies,
  asked: CancelRequest,
): Promise<GenerationRow> {
  const { reader, crashPoint } = dependencies;
  await crashPoint?.('cancel-asked');
  const canceled = await cancelUntouched(dependencies, asked);
  if (canceled !== undefined) await crashPoint?.('cancel-committed');
  const row = await reader.read(asked);
  if (canceled === undefined) throw new ApiProblem('conflict', { detail: whyNot(row) });
  return row;
}

/**
 * Cancels it where nobody has claimed it; undefined where somebody has: the function move_generations decides (sql/functions). A person's
 * act is written down with it.
 */
export async function cancelUntouched(
  { settlement, reader }: Pick<CancelDependencies, 'settlement' | 'reader'>,
  { id, accountId, actor }: CancelRequest,
): Promise<Transitioned | undefined> {
  const transition = { id, accountId, from: 'queued', to: 'canceled', untouched: true } as const;
  if (actor === undefined) return settlement.transition(transition);
  const { kind, model } = await reader.read({ id, accountId });
  return settlement.transitionWith(transition, (transaction) =>
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
