import type { Delivery } from '@renderkit/contract/console/schemas/delivery.ts';
import type { ListedDelivery } from '../webhooks/deliveries/present.ts';

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
