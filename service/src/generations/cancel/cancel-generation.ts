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
  /** A person, whose actions are recorded in the audit log. Left out for an API key. */
  actor?: Actor | undefined;
};

/**
 * Cancels a queued generation, but only while nothing of it was sent to the studio.
 * @throws ApiProblem `not_found`; `conflict` where dispatch took the generation first, or it is no longer queued
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
 * Cancels a generation that no process has claimed; the function move_generations decides (sql/functions). Returns
 * undefined where a process has claimed the generation. Records a person's action in the same transaction.
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
