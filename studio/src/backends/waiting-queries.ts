import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Why a backend does not take a waiting render at this moment. */
export type WaitingReason =
  /** The route names no backend that there is. */
  | 'no_backend'
  | 'off'
  | 'draining'
  | 'down'
  | 'resting'
  /** Nobody has asked it yet whether it can run the route. */
  | 'unchecked'
  | 'unfit'
  /** The render failed there, or is too much for it. */
  | 'avoided'
  /** The provider asks for more than the account pays. */
  | 'too_expensive'
  /** Nothing is left of what may be spent there today. */
  | 'day_spent'
  /** The render is tried again later. */
  | 'scheduled'
  /** The route is a fallback, and its time has not come. */
  | 'not_open'
  | 'busy'
  /** It leaves the render to a free backend that is much faster. */
  | 'slower'
  /** Nothing: it takes the render as soon as it looks. */
  | 'next';

/** What one backend of one route has to say. */
export type PassedOver = {
  route: number;
  route_name: string;
  /** Null where the reason is `no_backend`. */
  backend: string | null;
  reason: WaitingReason;
  /** A sentence for operators: it may name hosts and nodes. */
  detail: string | null;
  since: Date | null;
  until: Date | null;
};

/**
 * Why a render that waits is not being made: what keeps each backend of each route that takes it from claiming it, in the
 * order of routes. Empty where it does not wait.
 */
export async function whyWaiting(database: Database, render: string): Promise<PassedOver[]> {
  return database.rows<PassedOver>(
    // Found by its id before anything else is asked of it: no index of all that waits may be taken for this.
    `select w.* from (select r from renders r where r.id = $1 offset 0) one, why_waiting(one.r) w
     where (one.r).status = 'queued' and (one.r).tag is not null`,
    [render],
    'why_waiting',
  );
}

/** Why a render waits, in one word of the contract. */
export type QueueReason = 'scheduled_retry' | 'fair_share' | 'engine_busy' | 'engine_down';

/** By their ids; null of one that is about to be taken, or that does not wait. */
export async function queueReasons(
  database: Database,
  renders: readonly string[],
): Promise<Map<string, QueueReason | null>> {
  const rows = await database.rows<{ id: string; reason: QueueReason | null }>(
    'select r.id, queue_reason(r) as reason from renders r where r.id = any($1)',
    [renders],
    'queue_reasons',
  );
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}
