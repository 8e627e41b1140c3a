import type { Database } from '@renderkit/server-kit/db/database.ts';
import { selectHealth } from './store.ts';

/** What became of an endpoint's deliveries of the last 24 hours, and what is pending, whatever its age. */
export type WebhookHealth = { delivered: number; failed: number; pending: number };

/** No count goes further: it is looked at every few seconds. */
const mostCounted = 1_000;

/** The health of each of these endpoints, by its id. */
export async function readHealth(
  database: Database,
  endpointIds: readonly string[],
): Promise<Map<string, WebhookHealth>> {
  if (endpointIds.length === 0) return new Map();
  const rows = await selectHealth(database, endpointIds, mostCounted);
  return new Map(rows.map(({ endpoint_id: id, ...health }) => [id, health]));
}
