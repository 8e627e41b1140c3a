import type { Database } from '@renderkit/server-kit/db/database.ts';
import { runBatches } from '@renderkit/server-kit/work/batch-loop.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { actOnEndpoint } from './act-on-endpoint.ts';
import { endDeliveries, markDeleted, selectEndpointIds } from './store.ts';

/** How many deliveries one statement ends: few enough that nobody has to wait for it. */
const batchSize = 500;
/** How many batches the caller waits for; the deliverers end the rest (`claim_deliveries.sql`). */
const maxBatches = 200;

/**
 * Deletes an endpoint and ends its pending deliveries. A running attempt may still deliver. The deliveries stay visible
 * for the usual time.
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
