import type { Database } from '@renderkit/server-kit/db/database.ts';
import { runBatches } from '@renderkit/server-kit/work/batch-loop.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { actOnEndpoint } from './act-on-endpoint.ts';
import { endDeliveries, markDeleted, selectEndpointIds } from './store.ts';

/** Deliveries ended in one statement, small enough that nobody waits for it. */
const batchSize = 500;
/** Batches that the caller waits for; what is left is ended by the deliverers. */
const maxBatches = 200;

/**
 * Deletes an endpoint and ends what is pending for it; what is under way just now may still be delivered. Its
 * deliveries can be looked at for as long as any.
 * @throws ApiProblem `not_found`
 */
export async function deleteWebhook(database: Database, endpointId: string, asker: Asker): Promise<void> {
  await actOnEndpoint(database, endpointId, asker, async (transaction) => {
    await markDeleted(transaction, endpointId);
    return { acts: [{ action: 'webhook.deleted' }], answer: undefined };
  });
  const end = async () => (await endDeliveries(database, endpointId, batchSize)) === batchSize;
  await runBatches([end], { maxBatches });
}

/** Deletes all endpoints of an account. */
export async function deleteWebhooksOf(database: Database, accountId: string): Promise<void> {
  for (const id of await selectEndpointIds(database, accountId)) {
    await database.transaction((transaction) => markDeleted(transaction, id));
    await endDeliveries(database, id, batchSize);
  }
}
