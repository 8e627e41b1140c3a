import type { DeliveryFailure, DeliveryStatus } from '@renderkit/contract/console/schemas/delivery.ts';
import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import type { AttemptRow, DeliveryRow } from './store.ts';

/** A delivery as its owner sees it. Times are ISO 8601. */
export type ListedDelivery = {
  id: string;
  endpointId: string;
  url: string;
  eventId: string;
  eventType: EventType;
  status: DeliveryStatus;
  /** Of the schedule, ended. */
  attempts: number;
  lastStatus: number | null;
  lastFailure: DeliveryFailure | null;
  lastAttemptAt: string | null;
  /** When something is sent next; null: nothing is, it is under way just now, or its endpoint is paused. */
  nextAttemptAt: string | null;
  createdAt: string;
  completedAt: string | null;
};

/** One attempt. All of its end is null while it is under way. */
export type ListedAttempt = {
  /** Its number in the schedule, from 1; null: an extra one, asked for by hand. */
  number: number | null;
  startedAt: string;
  endedAt: string | null;
  durationMs: number | null;
  status: number | null;
  /** Null: it was a success, or is under way. */
  failure: DeliveryFailure | null;
  /** The first kilobyte of the answer's body. */
  answer: string | null;
};

export function presentDelivery(row: DeliveryRow): ListedDelivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    url: row.url,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    attempts: row.attempts,
    lastStatus: row.last_status,
    lastFailure: row.last_failure,
    lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    completedAt: row.completed_at?.toISOString() ?? null,
  };
}

export function presentAttempt(row: AttemptRow): ListedAttempt {
  return {
    number: row.number,
    startedAt: row.started_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    durationMs: row.duration_ms,
    status: row.status,
    failure: row.failure,
    answer: row.answer,
  };
}
