import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { writeAudit } from '../../identity/audit/write-audit.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { noSuchEndpoint } from '../endpoints/act-on-endpoint.ts';
import { limitManualSends, precheckManualSends } from '../endpoints/limit-manual-sends.ts';
import { announceDue } from '../events/queries.ts';
import { noSuchDelivery } from './list-deliveries.ts';
import {
  type EndpointState,
  requestResends,
  selectDelivery,
  selectEndpointState,
  selectFailed,
} from './store.ts';

/** How many deliveries one statement handles. */
const batchSize = 500;

/**
 * Sends a delivery again at once, under the same ids. This is an extra attempt: a success makes the delivery delivered,
 * a failure changes nothing, and the schedule stays the same.
 * @throws ApiProblem `not_found`; `conflict` where the endpoint is paused or deleted; `rate_limited` after too many in
 * a minute
 */
export async function resendDelivery(database: Database, deliveryId: string, asker: Asker): Promise<void> {
  const found = await selectDelivery(database, deliveryId, asker);
  if (found === undefined) throw noSuchDelivery();
  const { endpoint_id: endpointId, event_id: eventId, event_type: eventType } = found.delivery;
  const isPing = eventType === 'ping';
  const kind = isPing ? 'ping' : 'resend';
  const { account_id: accountId } = await checkEndpoint(database, endpointId, asker, isPing);
  await precheckManualSends(database, { kind, accountId, endpointId });
  await database.transaction(async (transaction) => {
    const endpoint = await checkEndpoint(transaction, endpointId, asker, isPing);
    await limitManualSends(transaction, { kind, accountId, endpointId });
    if ((await requestResends(transaction, endpointId, [deliveryId])) === 0) throw deleted();
    await writeAudit(transaction, asker.actor, {
      accountId: endpoint.account_id,
      action: 'delivery.resent',
      subjectId: deliveryId,
      subjectName: eventType,
      details: { event: eventId, endpoint: endpointId, url: endpoint.url },
    });
  });
  await announceDue(database, endpointId);
}

/**
 * Resends all finally failed deliveries of an endpoint except tests, whose event came at `since` or later (ISO 8601).
 * Works in transactions of some hundreds and returns how many there are. The first transaction writes the audit entry;
 * all count as one resend.
 * @throws ApiProblem `not_found`; `conflict` where the endpoint is paused or deleted; `rate_limited` after too many in
 * a minute
 */
export async function recoverDeliveries(
  database: Database,
  endpointId: string,
  since: string,
  asker: Asker,
): Promise<number> {
  const endpoint = await checkEndpoint(database, endpointId, asker, false);
  let resent = 0;
  let below: { createdAt: string; id: string } | null = null;
  for (;;) {
    const failed = await selectFailed(database, { endpointId, since, below, limit: batchSize });
    const last = failed.at(-1);
    if (last === undefined) return resent;
    const ids = failed.map(({ id }) => id);
    const first = below === null;
    resent += await database.transaction(async (transaction) => {
      if (first) {
        const accountId = endpoint.account_id;
        await limitManualSends(transaction, { kind: 'resend', accountId, endpointId });
        await writeAudit(transaction, asker.actor, {
          accountId,
          action: 'delivery.recovered',
          subjectId: endpointId,
          subjectName: endpoint.url,
          details: { since },
        });
      }
      return requestResends(transaction, endpointId, ids);
    });
    await announceDue(database, endpointId);
    below = { createdAt: last.created_at, id: last.id };
  }
}

async function checkEndpoint(
  queryable: Queryable,
  endpointId: string,
  asker: Asker,
  isPing: boolean,
): Promise<EndpointState> {
  const endpoint = await selectEndpointState(queryable, endpointId, asker);
  if (endpoint === undefined) throw noSuchEndpoint();
  if (endpoint.state === 'deleted') throw deleted();
  if (endpoint.state === 'paused' && !isPing)
    throw new ApiProblem('conflict', {
      detail: 'The webhook endpoint is paused: resume it first, then send again.',
    });
  return endpoint;
}

function deleted(): ApiProblem {
  return new ApiProblem('conflict', {
    detail: 'The webhook endpoint was deleted: nothing is sent to it any more.',
  });
}
