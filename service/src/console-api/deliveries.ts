import type { Delivery, DeliveryDetail } from '@renderkit/contract/console/schemas/delivery.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { KeyedMutex } from '@renderkit/server-kit/work/mutex.ts';
import { pageOf } from '../http/list-page.ts';
import { listDeliveries, showDelivery, type ShownDelivery } from '../webhooks/deliveries/list-deliveries.ts';
import type { ListedDelivery } from '../webhooks/deliveries/present.ts';
import { resendDelivery } from '../webhooks/deliveries/resend-delivery.ts';
import { requestHeaders, shownSignature } from '../webhooks/deliveries/sign.ts';
import { askerOf, type ConsoleHandlers } from './console-handler.ts';

/** What was sent to a person's endpoints, and what came of it. `accountMutex`: as for tests (webhooks.ts). */
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
      const data = found.slice(0, limit).map(presentDelivery);
      return { object: 'list', data, page, limit, has_more: found.length > limit };
    },

    getDelivery: async ({ person, params }) => presentDetail(await showDelivery(database, params.id, person)),

    resendDelivery: async ({ person, params }) => {
      const { id } = params;
      await deps.accountMutex(person.accountId, () => resendDelivery(database, id, askerOf(person)));
      return presentDelivery(await showDelivery(database, id, person));
    },
  };
}

function presentDetail(delivery: ShownDelivery): DeliveryDetail {
  return {
    ...presentDelivery(delivery),
    request: {
      method: 'POST',
      headers: requestHeaders(delivery, shownSignature),
      body: delivery.body,
    },
    attempts_made: delivery.history.toReversed().map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAt,
      ended_at: attempt.endedAt,
      duration_ms: attempt.durationMs,
      status: attempt.status,
      failure: attempt.failure,
      answer: attempt.answer,
    })),
  };
}

export function presentDelivery(delivery: ListedDelivery): Delivery {
  return {
    id: delivery.id,
    object: 'delivery',
    endpoint_id: delivery.endpointId,
    url: delivery.url,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    last_status: delivery.lastStatus,
    last_failure: delivery.lastFailure,
    last_attempt_at: delivery.lastAttemptAt,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    completed_at: delivery.completedAt,
  };
}
