import type { DeliveryDetail } from '@renderkit/contract/console/schemas/delivery.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { KeyedMutex } from '@renderkit/server-kit/work/mutex.ts';
import { pageOf } from '../http/list-page.ts';
import { listDeliveries, showDelivery, type ShownDelivery } from '../webhooks/deliveries/list-deliveries.ts';
import { resendDelivery } from '../webhooks/deliveries/resend-delivery.ts';
import { requestHeaders, shownSignature } from '../webhooks/deliveries/sign.ts';
import { askerOf, type ConsoleHandlers } from './console-handler.ts';

/**
 * Shows what was sent to a person's endpoints, with the results. `accountMutex` is the one that tests of endpoints use
 * (webhooks.ts).
 */
export function deliveryHandlers(deps: {
  database: Database;
  accountMutex: KeyedMutex;
}): Pick<ConsoleHandlers, 'listDeliveries' | 'getDelivery' | 'resendDelivery'> {
  const { database } = deps;
  return {
    listDeliveries: async ({ person, query }) => {
      const { page, limit, offset } = pageOf(query);
      const found = await listDeliveries(database, {
        accountId: person.accountId,
        endpointId: query.endpoint_id,
        eventId: query.event_id,
        eventType: query.event_type,
        status: query.status,
        offset,
        limit: limit + 1,
      });
      return { object: 'list', data: found.slice(0, limit), page, limit, has_more: found.length > limit };
    },

    getDelivery: async ({ person, params }) => presentDetail(await showDelivery(database, params.id, person)),

    resendDelivery: async ({ person, params }) => {
      const { id } = params;
      await deps.accountMutex(person.accountId, () => resendDelivery(database, id, askerOf(person)));
      return (await showDelivery(database, id, person)).delivery;
    },
  };
}

function presentDetail({ delivery, body, history }: ShownDelivery): DeliveryDetail {
  const headers = requestHeaders({ id: delivery.id, eventType: delivery.event_type }, shownSignature);
  return {
    ...delivery,
    request: { method: 'POST', headers, body },
    attempts_made: history.toReversed(),
  };
}
