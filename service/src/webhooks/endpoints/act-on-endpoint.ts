import type { AuditAction } from '@renderkit/contract/console/schemas/audit.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { writeAudit } from '../../identity/audit/write-audit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type EndpointRow, selectEndpoint } from './store.ts';

/** What was done to an endpoint, as it is written down. */
export type EndpointAct = { action: AuditAction; details?: Record<string, string> };

/**
 * Does something to one endpoint that the asker may know of, while nobody else changes it, and writes down what
 * `work` says it did.
 * @throws ApiProblem `not_found`
 */
export async function actOnEndpoint<T>(
  database: Database,
  endpointId: string,
  asker: Asker,
  work: (
    transaction: Transaction,
    endpoint: EndpointRow,
  ) => Promise<{ acts: readonly EndpointAct[]; answer: T }>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    const endpoint = await selectEndpoint(transaction, endpointId, { ...asker, lock: true });
    if (endpoint === undefined) throw noSuchEndpoint();
    const { acts, answer } = await work(transaction, endpoint);
    for (const act of acts)
      await writeAudit(transaction, asker.actor, {
        ...act,
        accountId: endpoint.account_id,
        subjectId: endpointId,
        subjectName: endpoint.url,
      });
    return answer;
  });
}

/** Unknown, deleted, or somebody else's: all the same to whoever asks. */
export function noSuchEndpoint(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such webhook endpoint.' });
}
