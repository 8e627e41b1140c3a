import type { Database } from '@renderkit/server-kit/database.ts';
import { announceDue } from '../events/announce-due.ts';
import { writePing } from '../events/write-event.ts';
import { noSuchEndpoint } from './no-such-endpoint.ts';
import { type Owner, selectSecret } from './store.ts';

/**
 * Sends a test event to an endpoint, paused or not, whatever it subscribes to. Its delivery shows what came of it.
 * @throws ApiProblem `not_found`
 */
export async function pingWebhook(
  database: Database,
  endpointId: string,
  owner: Owner = {},
): Promise<{ eventId: string; deliveryId: string }> {
  if ((await selectSecret(database, endpointId, owner)) === undefined) throw noSuchEndpoint();
  const written = await writePing(database, endpointId);
  if (written === undefined) throw noSuchEndpoint();
  await announceDue(database, endpointId);
  return written;
}
