import type { Database } from '@renderkit/server-kit/database.ts';
import { announceDue } from '../events/announce-due.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { noSuchDelivery } from './no-such-delivery.ts';
import { type Owner, requestResends, selectDelivery, selectEndpointState, selectFailed } from './store.ts';

/** Deliveries of one statement. */
const batchSize = 500;

/**
 * Sends a delivery once more, at once, under the same ids. It is an extra attempt: a success makes the delivery
 * delivered, a failure changes nothing, and the schedule stays as it is.
 * @throws ApiProblem `not_found`; `conflict` where its endpoint is paused or deleted
 */
export async function resendDelivery(
  database: Database,
  deliveryId: string,
  owner: Owner = {},
): Promise<void> {
  const found = await selectDelivery(database, deliveryId, owner);
  if (found === undefined) throw noSuchDelivery();
  const endpointId = found.delivery.endpoint_id;
  const isPing = found.delivery.event_type === 'ping';
  await checkEndpoint(database, endpointId, owner, isPing);
  if ((await requestResends(database, endpointId, [deliveryId])) === 0) throw deleted();
  await announceDue(database, endpointId);
}

/**
 * Sends everything once more that failed for good at an endpoint since then (`since`: ISO 8601, by the time of the
 * event). How many there are.
 * @throws ApiProblem `not_found`; `conflict` where the endpoint is paused or deleted
 */
export async function recoverDeliveries(
  database: Database,
  endpointId: string,
  since: string,
  owner: Owner = {},
): Promise<number> {
  await checkEndpoint(database, endpointId, owner, false);
  let resent = 0;
  let below: { createdAt: string; id: string } | null = null;
  for (;;) {
    const failed = await selectFailed(database, { endpointId, since, below, limit: batchSize });
    const last = failed.at(-1);
    if (last === undefined) return resent;
    resent += await requestResends(
      database,
      endpointId,
      failed.map(({ id }) => id),
    );
    await announceDue(database, endpointId);
    below = { createdAt: last.created_at, id: last.id };
  }
}

async function checkEndpoint(
  database: Database,
  endpointId: string,
  owner: Owner,
  isPing: boolean,
): Promise<void> {
  const state = await selectEndpointState(database, endpointId, owner);
  if (state === undefined)
    throw new ApiProblem('not_found', { detail: 'There is no such webhook endpoint.' });
  if (state === 'deleted') throw deleted();
  if (state === 'paused' && !isPing)
    throw new ApiProblem('conflict', {
      detail: 'The webhook endpoint is paused: resume it first, then send again.',
    });
}

function deleted(): ApiProblem {
  return new ApiProblem('conflict', {
    detail: 'The webhook endpoint was deleted: nothing is sent to it any more.',
  });
}
