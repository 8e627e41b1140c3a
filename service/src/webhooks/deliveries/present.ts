import type { Delivery, DeliveryAttempt } from '@renderkit/contract/console/schemas/delivery.ts';
import type { AttemptRow, DeliveryRow } from './store.ts';

/** Returns a delivery as its owner and an operator see it. */
export function presentDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    object: 'delivery',
    endpoint_id: row.endpoint_id,
    url: row.url,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    last_status: row.last_status,
    last_failure: row.last_failure,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

/** Returns one attempt. The fields about its end are null while the attempt is running. */
export function presentAttempt(row: AttemptRow): DeliveryAttempt {
  return {
    number: row.number,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_ms: row.duration_ms,
    status: row.status,
    failure: row.failure,
    answer: row.answer,
  };
}
