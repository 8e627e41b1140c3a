import type { AuditAction } from '@renderkit/contract/console/schemas/audit.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { writeAudit } from '../../identity/audit/write-audit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type EndpointRow, selectEndpoint } from './store.ts';

/** An action on an endpoint, for the audit log. */
export type EndpointAct = { action: AuditAction; details?: Record<string, string> };

/**
 * Runs `work` on one endpoint that the asker may see, while the endpoint is locked. Records the actions that `work`
 * returns in the audit log.
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

/** Makes the same problem for an endpoint that is unknown, deleted, or another account's. */
export function noSuchEndpoint(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such webhook endpoint.' });
}
