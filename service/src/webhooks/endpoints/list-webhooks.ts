import type { Database } from '@renderkit/server-kit/db/database.ts';
import { noSuchEndpoint } from './act-on-endpoint.ts';
import { type ListedWebhook, presentWebhook } from './present.ts';
import { selectEndpoint, selectEndpoints, selectHealth } from './store.ts';

/** Counts stop at this number, because they are read every few seconds. */
const maxCounted = 1_000;

/** Returns the endpoints of an account, oldest first. */
export async function listWebhooks(database: Database, accountId: string): Promise<ListedWebhook[]> {
  return (await selectEndpoints(database, accountId)).map(presentWebhook);
}

/** Returns one of an account's endpoints. @throws ApiProblem `not_found` */
export async function showWebhook(
  database: Database,
  endpointId: string,
  accountId: string,
): Promise<ListedWebhook> {
  const row = await selectEndpoint(database, endpointId, { accountId });
  if (row === undefined) throw noSuchEndpoint();
  return presentWebhook(row);
}

/** The outcomes of an endpoint's deliveries of the last 24 hours, and the pending ones of any age. */
export type WebhookHealth = { delivered: number; failed: number; pending: number };

/** Returns the health of each of these endpoints, by its id. */
export async function readHealth(
  database: Database,
  endpointIds: readonly string[],
): Promise<Map<string, WebhookHealth>> {
  if (endpointIds.length === 0) return new Map();
  const rows = await selectHealth(database, endpointIds, maxCounted);
  return new Map(rows.map(({ endpoint_id: id, ...health }) => [id, health]));
}
