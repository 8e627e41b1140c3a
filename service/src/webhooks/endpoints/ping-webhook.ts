import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Asker } from '../../identity/audit/actor.ts';
import { announceDue, writePing } from '../events/queries.ts';
import { actOnEndpoint, noSuchEndpoint } from './act-on-endpoint.ts';
import { limitManualSends, precheckManualSends } from './limit-manual-sends.ts';

/**
 * Sends a test event to an endpoint, even if it is paused, whatever it subscribes to. The delivery shows the outcome.
 * @throws ApiProblem `not_found`; `rate_limited` after ten in a minute
 */
export async function pingWebhook(
  database: Database,
  endpointId: string,
  asker: Asker,
): Promise<{ eventId: string; deliveryId: string }> {
  const { accountId: owner } = asker;
  if (owner !== undefined)
    await precheckManualSends(database, { kind: 'ping', accountId: owner, endpointId });
  const written = await actOnEndpoint(
    database,
    endpointId,
    asker,
    async (transaction, { account_id: accountId }) => {
      await limitManualSends(transaction, { kind: 'ping', accountId, endpointId });
      const ping = await writePing(transaction, endpointId);
      if (ping === undefined) throw noSuchEndpoint();
      return { acts: [{ action: 'webhook.pinged', details: { delivery: ping.deliveryId } }], answer: ping };
    },
  );
  await announceDue(database, endpointId);
  return written;
}
